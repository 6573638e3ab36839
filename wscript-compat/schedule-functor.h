// SPDX-License-Identifier: GPL-2.0-only
// Lets Simulator::Schedule take a lambda, which ns-3 does from 3.36 on. The wscript puts it before
// every file of the module, as the overload must be known where simulator.h is read.

#ifndef LLM_FABRIC_SCHEDULE_FUNCTOR_H
#define LLM_FABRIC_SCHEDULE_FUNCTOR_H

#include "ns3/event-impl.h"

#include <type_traits>
#include <utility>

namespace ns3
{

/**
 * @tparam F the type of a callable object without parameters
 * @param functor the object
 * @return an event that calls a copy of it
 */
template <typename F>
auto
MakeEvent(F functor) -> std::enable_if_t<std::is_class_v<F> && std::is_invocable_v<F>, EventImpl*>
{
    class EventFunctor : public EventImpl
    {
      public:
        explicit EventFunctor(F f)
            : m_functor(std::move(f))
        {
        }

      private:
        void Notify() override
        {
            m_functor();
        }

        F m_functor;
    };

    return new EventFunctor(std::move(functor));
}

} // namespace ns3

#endif // LLM_FABRIC_SCHEDULE_FUNCTOR_H
