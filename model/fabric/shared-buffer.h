// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_SHARED_BUFFER_H
#define LLM_FABRIC_SHARED_BUFFER_H

#include "fabric-frame.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * The packet memory of a switch, counted by the port and class by which frames came in.
 *
 * Each (port, class) fills its reserve first, then the shared part up to a dynamic threshold: alpha
 * times what of the shared part is free (Choudhury and Hahne, 1998). A lossless class that reaches
 * the threshold asks for a pause (XOFF) and fills its headroom; it asks to go on (XON) when the
 * headroom is empty and the shared use lies a hysteresis below the threshold. A lossy class drops.
 *
 * The counters may lag behind departures that nobody has looked at yet. That only makes them
 * larger and the threshold smaller, so a caller settles all ports and asks again before it acts.
 */
class alignas(64) SharedBuffer
{
  public:
    /** Settings. */
    struct Config
    {
        uint64_t totalBytes = 0;      //!< all memory
        uint64_t reserveBytes = 0;    //!< per port and class
        double alpha = 0.125;         //!< share of the free memory that one (port, class) may hold
        uint64_t hysteresisBytes = 0; //!< XON lies so far below XOFF
        uint8_t losslessMask = 0;     //!< bit c: class c is lossless
    };

    /** What is to become of a frame that came in. */
    enum class Verdict : uint8_t
    {
        ACCEPT,  //!< it is counted
        PAUSE,   //!< it is counted, and the sender is to be paused
        NO_ROOM, //!< there is no room: it is not counted
    };

    /**
     * @param config the settings
     * @param headroomBytes headroom of each lossless class, by port
     * @param placesApart further ports that no link has, for AdmitApart()
     */
    void Configure(const Config& config,
                   const std::vector<uint64_t>& headroomBytes,
                   uint32_t placesApart = 0);

    /** @return size of the shared part, bytes; negative when the parts exceed the memory */
    int64_t GetSharedBytes() const
    {
        return m_sharedBytes;
    }

    /**
     * Count a frame in if that needs no action by these (perhaps lagging) counters.
     * @param port port by which it came
     * @param trafficClass its class
     * @param bytes its size
     * @return false: it was not counted; Admit() decides
     */
    bool AdmitPlainly(uint16_t port, uint8_t trafficClass, uint32_t bytes)
    {
        Counter& counter = At(port, trafficClass);
        const uint64_t now = uint64_t{counter.bytes} + bytes;
        int64_t sharedUsed = m_sharedUsed;
        if (now > m_reserveBytes)
        {
            if (IsOver(now))
            {
                return false;
            }
            sharedUsed += SharedPart(now) - SharedPart(counter.bytes);
        }
        if (counter.isPaused)
        {
            return false;
        }
        counter.bytes = static_cast<uint32_t>(now);
        m_sharedUsed = sharedUsed;
        return true;
    }

    /**
     * Fetch what counting a frame touches.
     * @param port port by which it comes
     * @param trafficClass its class
     */
    void Prefetch(uint16_t port, uint8_t trafficClass) const
    {
        __builtin_prefetch(&At(port, trafficClass));
    }

    /**
     * Count a frame in.
     * @param port port by which it came
     * @param trafficClass its class
     * @param bytes its size
     * @return what to do
     */
    Verdict Admit(uint16_t port, uint8_t trafficClass, uint32_t bytes);

    /**
     * Count a frame in that lies in a memory of its own: it takes no room and asks for no pause.
     * @param place a port that no link has, see Configure()
     * @param trafficClass its class
     * @param bytes its size
     */
    void AdmitApart(uint16_t place, uint8_t trafficClass, uint32_t bytes)
    {
        At(place, trafficClass).headroomBytes += bytes;
    }

    /**
     * Count a frame out.
     * @param port port by which it had come
     * @param trafficClass its class
     * @param bytes its size
     */
    void Release(uint16_t port, uint8_t trafficClass, uint32_t bytes)
    {
        Counter& counter = At(port, trafficClass);
        if (counter.headroomBytes != 0)
        {
            const uint32_t part = counter.headroomBytes < bytes ? counter.headroomBytes : bytes;
            counter.headroomBytes -= part;
            bytes -= part;
        }
        // without a branch: whether a frame lies in the reserve is what no predictor knows
        const uint64_t before = std::max<uint64_t>(counter.bytes, m_reserveBytes);
        counter.bytes -= bytes;
        m_sharedUsed -=
            static_cast<int64_t>(before - std::max<uint64_t>(counter.bytes, m_reserveBytes));
    }

    /** @return whether any (port, class) has asked for a pause: then departures must be exact */
    bool IsWatched() const
    {
        return m_pausedCount != 0;
    }

    /**
     * Take a (port, class) that may go on (XON) off the list of paused ones.
     * @param port set to its port
     * @param trafficClass set to its class
     * @return false when there is none
     */
    bool TakeResumable(uint16_t& port, uint8_t& trafficClass);

    /**
     * A port has gone down: its pauses are void.
     * @param port the port
     */
    void ForgetPauses(uint16_t port);

    /** @return bytes held, of all ports and classes */
    uint64_t GetUsedBytes() const;

    /**
     * @param port a port
     * @param trafficClass a class
     * @return bytes held that came in there
     */
    uint64_t GetUsedBytes(uint16_t port, uint8_t trafficClass) const;

    /** @param port a port @param trafficClass a class @return whether it has asked for a pause */
    bool IsPaused(uint16_t port, uint8_t trafficClass) const
    {
        return At(port, trafficClass).isPaused;
    }

    /** @param port a port @param trafficClass a class @return bytes in its headroom */
    uint64_t GetHeadroomUsed(uint16_t port, uint8_t trafficClass) const
    {
        return At(port, trafficClass).headroomBytes;
    }

    /** @param port a port @return size of the headroom of a lossless class there, bytes */
    uint64_t GetHeadroomSize(uint16_t port) const
    {
        return m_headroom[port];
    }

    /**
     * @param port a port
     * @param trafficClass a class
     * @param bytes what of it stays when the rest has left
     * @return its use of the shared part then, bytes
     */
    int64_t GetSharedPartOf(uint16_t port, uint8_t trafficClass, uint64_t bytes) const;

    /**
     * @param port a port
     * @param trafficClass a class
     * @param bytes what of it stays when the rest has left
     * @param sharedUsed what all use of the shared part then
     * @return whether it may go on (XON) then
     */
    bool WouldResume(uint16_t port, uint8_t trafficClass, uint64_t bytes, int64_t sharedUsed) const;

    /** @return XOFF threshold of a (port, class) now, bytes of the shared part */
    double GetThreshold() const
    {
        return m_alpha * static_cast<double>(m_sharedBytes - m_sharedUsed);
    }

  private:
    /** What came in by one port in one class. */
    struct Counter
    {
        uint32_t bytes = 0;         //!< in the reserve and the shared part
        uint32_t headroomBytes = 0; //!< in the headroom
        bool isPaused = false;      //!< XOFF was asked for
    };

    /**
     * @param bytes bytes outside the headroom
     * @return those beyond the reserve
     */
    int64_t SharedPart(uint64_t bytes) const
    {
        return bytes > m_reserveBytes ? static_cast<int64_t>(bytes - m_reserveBytes) : 0;
    }

    /**
     * @param bytes bytes outside the headroom
     * @return whether they reach the threshold
     */
    bool IsOver(uint64_t bytes) const
    {
        const int64_t shared = SharedPart(bytes);
        return shared > 0 && static_cast<double>(shared) >= GetThreshold();
    }

    /**
     * @param port a port
     * @param trafficClass a class
     * @return index of its counter: those of a class lie side by side, as few classes are in use
     */
    std::size_t IndexOf(uint16_t port, uint8_t trafficClass) const
    {
        return std::size_t{trafficClass} * m_ports + port;
    }

    /**
     * @param port a port
     * @param trafficClass a class
     * @return the counter
     */
    const Counter& At(uint16_t port, uint8_t trafficClass) const
    {
        return m_counters[IndexOf(port, trafficClass)];
    }

    /** @copydoc At */
    Counter& At(uint16_t port, uint8_t trafficClass)
    {
        return m_counters[IndexOf(port, trafficClass)];
    }

    // What every frame touches fills the first cache line.
    std::unique_ptr<Counter[]> m_counters; //!< by class and port
    uint32_t m_ports = 0;                  //!< number of ports
    uint32_t m_pausedCount = 0;            //!< number of paused counters
    int64_t m_sharedBytes = 0;             //!< size of the shared part
    int64_t m_sharedUsed = 0;              //!< used of the shared part
    uint64_t m_reserveBytes = 0;           //!< of each port and class
    double m_alpha = 0;                    //!< see Config
    uint64_t m_hysteresisBytes = 0;        //!< see Config
    uint8_t m_losslessMask = 0;            //!< see Config
    std::vector<uint64_t> m_headroom;      //!< by port
    std::vector<uint32_t> m_paused;        //!< paused counters, by index, in the order of pausing
};

} // namespace ns3::llm

#endif // LLM_FABRIC_SHARED_BUFFER_H
