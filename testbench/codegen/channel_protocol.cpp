#include "testbench/codegen/channel_protocol.h"

#include <stdexcept>

#include "testbench/codegen/channel_collectives.h"

namespace tributary {

std::size_t chunks_of_loop(const std::string& collective, std::size_t ranks) {
  const ChannelCollective* found = find_channel_collective(collective);
  if (found == nullptr) throw std::invalid_argument("channels do not run " + collective);
  return found->along ? 1 : ranks;
}

bool carries_flags(const LowLatencyParams& params, const ChannelUse& use, Bytes message) {
  if (params.below) return message < *params.below;
  constexpr Bytes standard = 64_B;
  const std::uint64_t each = params.per_thread.value_or(standard).value * (use.several_servers ? 2 : 1);
  return message.value <= each * params.threads * use.channels * use.chunks;
}

}  // namespace tributary
