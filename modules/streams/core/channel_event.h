#pragma once
/// ChannelStepEvent: the begin or the end of a step of a channel, for observers.

#include "modules/base/probe.h"
#include "modules/streams/core/stream_program.h"

namespace tributary {

/// Condition of a step that was met last, except the end of the step before in its channel.
enum class ChannelWait : std::uint8_t {
  base,       ///< the time before the first step
  arrival,    ///< its input arrived, one hop before it may begin
  slot_free,  ///< the slot that it fills became free
};

struct ChannelStepEvent {
  const ChannelStep* step = nullptr;
  bool begins = false;  ///< otherwise the step has ended, and its last flit has left
  ChannelWait wait = ChannelWait::base;
  bool acquires = false;  ///< the time to see a semaphore follows the condition, otherwise the base or the time of a hop
  Tick seen = 0;          ///< time from the condition to the earliest begin
  Tick ready = 0;         ///< earliest begin, unless the step before in its channel ends later
  Tick moves = 0;         ///< time of its bytes at the rate of the channel, or of host memory
  Tick overhead = 0;      ///< time of the step before its bytes move
  const char* group = "nccl";       ///< group of the parameters of its times
  const char* bound = "link_rate";  ///< parameter of the group that sets the rate of the channel
  bool by_host = false;             ///< host memory determines `moves`
  Tick launched = 0;                ///< time of the launch of its kernel after the start, if the kernel waited for it
};

using ChannelStepProbe = Probe<Tick, const ChannelStepEvent&>;

}  // namespace tributary
