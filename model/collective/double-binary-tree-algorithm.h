// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_DOUBLE_BINARY_TREE_ALGORITHM_H
#define LLM_FABRIC_DOUBLE_BINARY_TREE_ALGORITHM_H

#include "collective-algorithm.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * All-reduce over two binary trees, each for half of the buffer (Sanders, Speck, Traeff, Parallel
 * Computing 35(12), 2009; NCCL's tree): latency grows with log2 N and every rank sends about twice what
 * it has.
 *
 * The first tree has the ranks in order (a rank's left subtree holds smaller ones); its inner ranks are
 * every second one. The second is its mirror image if N is even and shifted by one rank if N is odd, so
 * that an inner rank of the one is a leaf of the other. Messages of at most `TreeMessage` bytes go up,
 * reduced at each rank, and down again, several on their way at a time. Bytes are 2 (N - 1) S in all.
 */
class DoubleBinaryTreeAlgorithm : public CollectiveAlgorithm
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    bool Supports(const CollectiveRequest& request) const override;
    std::shared_ptr<const StepProgram> MakeProgram(const CollectiveRequest& request,
                                                   const std::vector<uint32_t>& accelerators,
                                                   Ptr<const Locality> locality) const override;

  private:
    uint64_t m_treeMessage = 0; //!< largest message
};

} // namespace ns3::llm

#endif // LLM_FABRIC_DOUBLE_BINARY_TREE_ALGORITHM_H
