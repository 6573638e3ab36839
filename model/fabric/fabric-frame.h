// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FABRIC_FRAME_H
#define LLM_FABRIC_FABRIC_FRAME_H

#include "hop-telemetry.h"

#include "ns3/abort.h"
#include "ns3/ptr.h"

#include <array>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

namespace ns3
{
class Packet;
} // namespace ns3

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * What a frame is.
 */
enum class FrameKind : uint8_t
{
    DATA,   //!< payload of a message
    ACK,    //!< everything before `psn` has arrived
    NACK,   //!< `psn` is missing, everything before it has arrived
    CNP,    //!< congestion notification: a marked frame has arrived
    PAUSE,  //!< PFC: stop or start a class (never forwarded)
    PACKET, //!< carries a packet of ns-3's own stack
    REDUCE, //!< contribution of a reduction group's member, see ReductionFrame
    RESULT, //!< what came of contributions, on its way to members
};

/**
 * @ingroup llm-fabric-fabric
 * A packet on a link, in the fabric's own form: one cache line, from a pool, never serialized.
 */
struct alignas(64) Frame
{
    static constexpr uint8_t FIRST = 1;     //!< flag: first frame of its write
    static constexpr uint8_t LAST = 2;      //!< flag: last frame of its write
    static constexpr uint8_t MARKED = 4;    //!< flag: ECN congestion experienced (ACK: echo of it)
    static constexpr uint8_t TELEMETRY = 8; //!< flag: has a FrameTelemetry (ACK: echo of it)
    static constexpr uint8_t ECN_CAPABLE = 16; //!< flag: PACKET: may be marked
    static constexpr uint8_t TOKEN = 32;       //!< flag: REDUCE, RESULT: has no payload but a count
    static constexpr uint8_t MORE = 128; //!< flag of a LAST: its message goes on in a next write

    static constexpr uint32_t NUMBER_BITS = 24; //!< of queuePair and pair, as RoCEv2 has them

    /** @return number of the queue pair among those of (source, destination); ACK: payload that has
     * come marked, bytes modulo 2^24; PACKET: EtherType */
    uint32_t GetPair() const
    {
        return uint32_t{pairHigh} << 16 | pairLow;
    }

    /** @param pair see GetPair() */
    void SetPair(uint32_t pair)
    {
        pairLow = static_cast<uint16_t>(pair);
        pairHigh = pair >> 16 & 0xff;
    }

    Frame* next; //!< the next in a list of waiting or free frames

    union
    {
        uint64_t sentTick;    //!< when its transmission at the source began; an ACK echoes it (ps)
        const Packet* packet; //!< PACKET: what it carries; a reference belongs to the frame
    };

    uint64_t tag;         //!< owner, instance and place of its message; PACKET: hash of its flow
    uint64_t psn;         //!< DATA: its number; ACK, NACK: next expected; PAUSE: see PauseFrame
    uint32_t destination; //!< terminal
    uint32_t source;      //!< terminal
    uint32_t entropy;     //!< what equal-cost choices are made from
    uint32_t queuePair : NUMBER_BITS;     //!< number of the sending queue pair at its NIC
    uint32_t pairHigh : 32 - NUMBER_BITS; //!< see GetPair()
    uint32_t identity;     //!< hash of its message and its place there, for keyed random draws
    uint16_t wireBytes;    //!< everything that it occupies on a link, preamble and gap included
    uint16_t payloadBytes; //!< payload of a data frame; bytes of a packet
    uint16_t pairLow;      //!< see GetPair()
    uint16_t ingress;      //!< port by which it came into the switch it is in
    FrameKind kind;        //!< what it is
    uint8_t trafficClass;  //!< its class, 0 to 7; PAUSE_CLASS for PFC
    uint8_t flags;         //!< FIRST, LAST, MARKED, TELEMETRY, ECN_CAPABLE, TOKEN, MORE
    uint8_t attempt;       //!< how often this PSN had been sent before
};

static_assert(sizeof(Frame) == 64, "a frame fills one cache line");

/**
 * @ingroup llm-fabric-fabric
 * What the switches on a frame's way have said of themselves. It lies behind the frame in memory, if
 * the pool makes room for it.
 */
struct FrameTelemetry
{
    /** Hops that there is room for; what more there are is not stamped. */
    static constexpr uint32_t MAX_HOPS = 7;

    /** @param frame a frame of a pool with telemetry @return the frame's */
    static FrameTelemetry& Of(Frame* frame)
    {
        return *reinterpret_cast<FrameTelemetry*>(frame + 1);
    }

    /** @copydoc Of */
    static const FrameTelemetry& Of(const Frame* frame)
    {
        return *reinterpret_cast<const FrameTelemetry*>(frame + 1);
    }

    uint64_t count;                          //!< hops stamped
    uint64_t unused[3];                      //!< aligns them
    std::array<HopTelemetry, MAX_HOPS> hops; //!< in the order of the way
};

static_assert(sizeof(FrameTelemetry) % sizeof(Frame) == 0, "the next frame is aligned");

/**
 * @ingroup llm-fabric-fabric
 * What ports and switches need of a frame, in half a cache line, so that a frame on its way is not
 * touched itself: it may be cold in memory. What it holds of the frame is in force until Store().
 */
struct alignas(32) TransitFrame
{
    TransitFrame() = default;

    /** @param frame the frame */
    explicit TransitFrame(Frame* frame)
        : frame(frame),
          destination(frame->destination),
          entropy(frame->entropy),
          wireBytes(frame->wireBytes),
          ingress(frame->ingress),
          trafficClass(frame->trafficClass),
          kind(frame->kind),
          flags(frame->flags),
          unused(0)
    {
    }

    /** Bring the frame up to date. @return the frame */
    Frame* Store() const
    {
        frame->ingress = ingress;
        frame->flags = flags;
        return frame;
    }

    Frame* frame;         //!< the frame
    uint64_t arrivalTick; //!< on a link: when its last bit reaches the far end
    uint32_t destination; //!< see Frame
    uint32_t entropy;     //!< see Frame
    uint16_t wireBytes;   //!< see Frame
    uint16_t ingress;     //!< see Frame
    uint8_t trafficClass; //!< see Frame
    FrameKind kind;       //!< see Frame
    uint8_t flags;        //!< see Frame
    uint8_t unused;       //!< makes a copy two moves
};

static_assert(sizeof(TransitFrame) == 32, "a cache line holds two");

/** Number of traffic classes. */
constexpr uint8_t TRAFFIC_CLASSES = 8;
/** The class of PFC frames: ahead of all others, cannot be paused. */
constexpr uint8_t PAUSE_CLASS = TRAFFIC_CLASSES;
/** Wire bytes of a PFC frame: 64 B, preamble 8 B and gap 12 B (IEEE 802.1Qbb). */
constexpr uint32_t PAUSE_WIRE_BYTES = 84;

/**
 * @ingroup llm-fabric-fabric
 * Where frames come from and go back to.
 */
class FramePool
{
  public:
    FramePool() = default;
    ~FramePool();
    FramePool(const FramePool&) = delete;
    FramePool& operator=(const FramePool&) = delete;

    /** From now on, each frame has room for a FrameTelemetry. No frame may have been taken yet. */
    void MakeRoomForTelemetry()
    {
        NS_ABORT_MSG_IF(!m_chunks.empty(), "FramePool: telemetry comes too late, frames are there");
        m_stride = 1 + sizeof(FrameTelemetry) / sizeof(Frame);
    }

    /** @return whether frames have telemetry */
    bool HasTelemetry() const
    {
        return m_stride != 1;
    }

    /** @return a frame with indeterminate content */
    Frame* Take()
    {
        if (!m_free)
        {
            Grow();
        }
        Frame* frame = m_free;
        m_free = frame->next;
        ++m_taken;
        return frame;
    }

    /** @param frame goes back, with what it carries; came from Take() */
    void Give(Frame* frame)
    {
        if (__builtin_expect(frame->kind == FrameKind::PACKET, 0))
        {
            Release(frame);
        }
        frame->next = m_free;
        m_free = frame;
        --m_taken;
    }

    /** Have a frame carry a packet. @param frame becomes a PACKET @param packet what it carries */
    void Load(Frame* frame, Ptr<const Packet> packet);

    /** Take out what a frame carries. @param frame a PACKET, which goes back @return its packet */
    Ptr<const Packet> Unload(Frame* frame);

    /** @return number of frames in use */
    uint64_t GetTaken() const
    {
        return m_taken;
    }

  private:
    static constexpr std::size_t CHUNK = 1024; //!< frames allocated at once

    /** Give up what a frame carries. @param frame a PACKET, which is none any more */
    void Release(Frame* frame);

    /** Allocate a chunk. */
    void Grow()
    {
        m_chunks.push_back(std::make_unique<Frame[]>(CHUNK * m_stride));
        Frame* chunk = m_chunks.back().get();
        for (std::size_t i = CHUNK; i-- > 0;)
        {
            Frame* frame = chunk + i * m_stride;
            if (m_stride != 1)
            {
                new (frame + 1) FrameTelemetry();
            }
            frame->next = m_free;
            m_free = frame;
        }
    }

    Frame* m_free = nullptr;  //!< list of free frames
    uint64_t m_taken = 0;     //!< frames in use
    uint64_t m_loaded = 0;    //!< frames that carry a packet
    std::size_t m_stride = 1; //!< size of a frame and what belongs to it, in frames
    std::vector<std::unique_ptr<Frame[]>> m_chunks; //!< the memory
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FABRIC_FRAME_H
