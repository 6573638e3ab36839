// SPDX-License-Identifier: GPL-2.0-only

#include "halving-doubling-algorithm.h"

#include "listed-program.h"

#include "ns3/log.h"

namespace ns3::llm
{

NS_LOG_COMPONENT_DEFINE("HalvingDoublingAlgorithm");

NS_OBJECT_ENSURE_REGISTERED(HalvingDoublingAlgorithm);

namespace
{

/** Exchanges with one peer after the other. */
class HalvingDoublingProgram : public ListedProgram
{
  public:
    /**
     * @param request the operation
     * @param size number of ranks
     */
    HalvingDoublingProgram(const CollectiveRequest& request, uint32_t size)
        : ListedProgram(size),
          m_request(request)
    {
        while (m_core * 2 <= size)
        {
            m_core *= 2;
            ++m_rounds;
        }
        m_pairs = size - m_core;
    }

  private:
    static constexpr uint32_t PAIR_FIRST = 0; //!< place of what a pair's second rank hands over
    static constexpr uint32_t PAIR_LAST = 1;  //!< place of what it gets back
    static constexpr uint32_t ROUNDS = 2;     //!< place of the first exchange

    RankLanes MakeLanes(uint32_t rank) const override
    {
        RankLanes lanes(1);
        std::vector<ListedStep>& lane = lanes[0];
        const bool isGuest = rank < 2 * m_pairs && rank % 2 == 1;
        const bool isHost = rank < 2 * m_pairs && !isGuest;
        const bool gathers = m_request.operation == CollectiveOperation::ALL_GATHER;
        const bool scatters = m_request.operation == CollectiveOperation::REDUCE_SCATTER;
        const uint32_t guest = isHost ? rank + 1 : rank;
        const BufferRange all{0, m_request.bytes};
        const BufferRange part = GetPart(all, GetSize(), guest);
        const BufferRange first = gathers ? part : all;
        const BufferRange last = scatters ? part : all;
        if (isGuest)
        {
            lane.push_back(MakeListedStep(Step::SEND, rank - 1, PAIR_FIRST, {first}));
            lane.push_back(MakeListedStep(Step::RECEIVE, rank - 1, PAIR_LAST, {last}));
            return lanes;
        }
        if (isHost)
        {
            lane.push_back(MakeListedStep(Step::RECEIVE, guest, PAIR_FIRST, {first}, !gathers));
        }
        const uint32_t seat = rank < 2 * m_pairs ? rank / 2 : rank - m_pairs;
        for (uint32_t round = m_rounds; !gathers && round-- > 0;)
        {
            const uint32_t peer = seat ^ 1u << round;
            Exchange(lane, peer, m_rounds - 1 - round, GetSpan(peer, round), GetSpan(seat, round));
        }
        for (uint32_t round = 0; !scatters && round < m_rounds; ++round)
        {
            const uint32_t peer = seat ^ 1u << round;
            Exchange(lane, peer, m_rounds + round, GetSpan(seat, round), GetSpan(peer, round));
        }
        if (isHost)
        {
            lane.push_back(MakeListedStep(Step::SEND, guest, PAIR_LAST, {last}));
        }
        return lanes;
    }

    /**
     * Add the two steps of an exchange.
     * @param lane to this lane
     * @param peer seat of the other
     * @param number of the exchange; the first ones reduce
     * @param out what is sent
     * @param in what is received
     */
    void Exchange(std::vector<ListedStep>& lane,
                  uint32_t peer,
                  uint32_t number,
                  const BufferRange& out,
                  const BufferRange& in) const
    {
        const uint32_t rank = peer < m_pairs ? 2 * peer : peer + m_pairs;
        lane.push_back(MakeListedStep(Step::SEND, rank, ROUNDS + number, {out}));
        lane.push_back(
            MakeListedStep(Step::RECEIVE, rank, ROUNDS + number, {in}, number < m_rounds));
    }

    /**
     * @param seat a seat
     * @param round how many seats are taken together: 2^round
     * @return the parts of the seat and of those taken together with it
     */
    BufferRange GetSpan(uint32_t seat, uint32_t round) const
    {
        const uint32_t first = seat >> round << round;
        const uint32_t end = first + (1u << round);
        const auto rankOf = [this](uint32_t s)
        {
            return s < m_pairs ? 2 * s : s + m_pairs;
        };
        return GetParts({0, m_request.bytes}, GetSize(), rankOf(first), rankOf(end));
    }

    CollectiveRequest m_request; //!< the operation
    uint32_t m_core = 1;         //!< P, the number of seats
    uint32_t m_rounds = 0;       //!< log2 of it
    uint32_t m_pairs = 0;        //!< seats with two ranks, the first ones
};

} // namespace

TypeId
HalvingDoublingAlgorithm::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::HalvingDoublingAlgorithm")
                            .SetParent<CollectiveAlgorithm>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<HalvingDoublingAlgorithm>();
    return tid;
}

bool
HalvingDoublingAlgorithm::Supports(const CollectiveRequest& request) const
{
    return request.operation == CollectiveOperation::ALL_REDUCE ||
           request.operation == CollectiveOperation::ALL_GATHER ||
           request.operation == CollectiveOperation::REDUCE_SCATTER;
}

std::shared_ptr<const StepProgram>
HalvingDoublingAlgorithm::MakeProgram(const CollectiveRequest& request,
                                      const std::vector<uint32_t>& accelerators,
                                      Ptr<const Locality>) const
{
    NS_LOG_FUNCTION(this << GetName(request.operation) << request.bytes << accelerators.size());
    const auto size = static_cast<uint32_t>(accelerators.size());
    CheckSupport(request, size);
    return std::make_shared<HalvingDoublingProgram>(request, size);
}

} // namespace ns3::llm
