#pragma once
/// The protocol of a message on channels: data with flags (LL), or plain data (docs/blocks/nccl_channels.md#steps).

#include <cstdint>
#include <string>

#include "modules/streams/nccl_params.h"

namespace tributary {

/// How channels carry a message.
struct ChannelUse {
  std::size_t channels = 1;
  std::size_t chunks = 1;  ///< chunks of a loop: one along a ring, one for each rank where all ranks send, 4 in a tree
  bool several_servers = false;
};
/// Returns the chunks of a loop of a collective on rings. Throws std::invalid_argument if channels do not run it.
std::size_t chunks_of_loop(const std::string& collective, std::size_t ranks);
/// Returns the use of trees, which carry larger messages with flags than rings of one chunk do.
inline ChannelUse on_trees(std::size_t channels) { return {channels, 4, false}; }

/// Returns true if the message carries flags: it is smaller than `low_latency.below`. By default, it has no more bytes than
/// `per_thread` for each thread, channel and chunk; these have 64 B if they are automatic.
bool carries_flags(const LowLatencyParams& params, const ChannelUse& use, Bytes message);
/// Returns the bytes of data of a thread's lines in all threads, and of a slot.
inline std::uint64_t low_latency_line(const LowLatencyParams& params) { return std::uint64_t{8} * params.threads; }
inline std::uint64_t low_latency_slot(const LowLatencyParams& params) {
  return LowLatencyParams::lines * low_latency_line(params);
}

}  // namespace tributary
