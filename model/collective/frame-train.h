// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FRAME_TRAIN_H
#define LLM_FABRIC_FRAME_TRAIN_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * Frames of a message on their way: how long each kind takes on each link.
 * @tparam T ticks, or a number with a fraction
 */
template <typename T>
struct FrameTrain
{
    std::vector<T> first;  //!< by link: of the first frame of a write
    std::vector<T> middle; //!< by link: of a full frame after it, not more
    std::vector<T> last;   //!< by link: of the last frame of the message, not more
};

/**
 * @ingroup llm-fabric-collective
 * The longest way through the grid of (frame, link): each frame follows the one before it on every
 * link, and itself from link to link. The frames between the first and the last are equal, so the
 * way passes them on some links from `enter` to `leave`, and all but one of them on the slowest.
 * @tparam T see FrameTrain
 * @param train the frames; of one write
 * @param frames how many, at least 2
 * @return time of the train, without propagation
 */
template <typename T>
T
GetTrainTime(const FrameTrain<T>& train, uint64_t frames)
{
    T longest{};
    T before{}; // of the first frame, up to the link at which the way goes on to the next frame
    for (std::size_t enter = 0; enter < train.first.size(); ++enter)
    {
        before += train.first[enter];
        T between{}; // of the middle frames
        T slowest{};
        for (std::size_t leave = enter; leave < train.first.size(); ++leave)
        {
            if (frames > 2)
            {
                between += train.middle[leave];
                slowest = std::max(slowest, train.middle[leave]);
            }
            T after{};
            for (std::size_t link = leave; link < train.last.size(); ++link)
            {
                after += train.last[link];
            }
            const T repeats = frames > 3 ? static_cast<T>(frames - 3) : T{};
            longest = std::max(longest, before + between + repeats * slowest + after);
        }
    }
    return longest;
}

/**
 * @ingroup llm-fabric-collective
 * The same for a message of several writes, exactly: a product of matrices in which a sum is the
 * larger of two and a product the sum; a repeated frame is a power.
 * @param train the frames; `last` is of one that is not the first of its write
 * @param lone by link: of the last frame if it is the first of its write, too
 * @param frames how many, more than framesPerWrite
 * @param framesPerWrite of each write but the last
 * @return time of the train, without propagation
 */
int64_t GetWritesTime(const FrameTrain<int64_t>& train,
                      const std::vector<int64_t>& lone,
                      uint64_t frames,
                      uint64_t framesPerWrite);

} // namespace ns3::llm

#endif // LLM_FABRIC_FRAME_TRAIN_H
