#include "testbench/codegen/p2p_rules.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "testbench/codegen/nccl_generations.h"
#include "testbench/codegen/nccl_work.h"

namespace tributary::nccl {
namespace {

constexpr unsigned all_warps = 20;           // device.h: 640 threads
constexpr unsigned extra_warp_from = 3;      // device.h: a send of as many warps leaves fences to one of them
constexpr std::uint64_t page = 4 << 10;      // device.h: parts are multiples of it
constexpr unsigned parts_of_step = 8;        // enqueue.cc: a part has at least this part of a slot
constexpr unsigned steps_of_part = 32;       // enqueue.cc: a part has at most so many slots before channels are added
constexpr std::uint64_t ll_step = 64 << 10;  // device.h: a slot of LL, flags included

std::uint64_t over(std::uint64_t x, std::uint64_t y) { return (x + y - 1) / y; }
std::uint64_t up(std::uint64_t x, std::uint64_t multiple) { return over(x, multiple) * multiple; }

unsigned power_of_two_from(unsigned x) {
  unsigned power = 1;
  while (power < x) power *= 2;
  return power;
}

/// Returns the `bits` lowest bits of x in reverse order, where 2^bits is `count`.
unsigned mirrored(unsigned x, unsigned count) {
  unsigned mirror = 0;
  for (unsigned left = count; left > 1; left /= 2, x /= 2) mirror = 2 * mirror + x % 2;
  return mirror;
}

/// Returns the channels of collectives, and up to 2.27 at least those of NVLS (connect.cc).
unsigned automatic_channels(const System& system) {
  const unsigned rings = ring_channels(system).channels;
  return system.version == Version::v2_29 ? rings : std::max(rings, generation(system.capability).nvls_channels);
}

}  // namespace

P2pRules::P2pRules(const System& system, const NcclP2pParams& params)
    : gpus_(system.gpus),
      channels_(params.channels.value_or(power_of_two_from(automatic_channels(system)))),
      forced_(params.peer_channels),
      version_(system.version),
      ll_threshold_(params.ll_threshold.value),
      chunk_(params.chunk.value) {
  if (channels_ != power_of_two_from(channels_))
    throw std::invalid_argument("nvswitch.nccl.p2p.channels: " + std::to_string(channels_) +
                                " channels (legal: a power of two)");
  most_ = std::min(channels_, power_of_two_from(2 * system.links));
  least_ = most_;
  while (least_ > 1 && least_ * gpus_ > channels_) least_ /= 2;
}

std::uint64_t P2pRules::slot(Protocol protocol) const {
  return protocol == Protocol::simple ? chunk_ : slot_data(protocol).value;
}

/// Returns the number of channels of a message. Channels are added while a part has more than 32 slots.
unsigned P2pRules::count(std::uint64_t bytes, std::uint64_t step) const {
  if (forced_) return std::min(*forced_, most_);
  const std::uint64_t smallest = step / parts_of_step, largest = step * steps_of_part;
  if (!before_2_22()) {
    auto n = static_cast<unsigned>(std::min<std::uint64_t>(least_, over(bytes, smallest)));
    while (n <= most_ / 2 && std::max(over(bytes, n), smallest) > largest) n *= 2;
    return n;
  }
  unsigned n = least_;
  while (n <= most_ / 2 && std::max(over(bytes, n), smallest) > largest) n *= 2;
  return static_cast<unsigned>(over(bytes, up(std::max(over(bytes, n), smallest), smallest)));
}

P2pShare P2pRules::share(std::uint64_t bytes, std::optional<Protocol> forced) const {
  if (forced == Protocol::ll128) throw std::invalid_argument("NCCL has no sends with ll128 (legal: ll, simple)");
  P2pShare share;
  if (bytes == 0) return share;
  const unsigned plain = count(bytes, chunk_);
  const bool by_use = version_ == Version::v2_29;
  const std::uint64_t limit = ll_threshold_ * (before_2_22() ? 1 : by_use ? plain : most_);
  share.protocol = forced.value_or(bytes <= limit ? Protocol::ll : Protocol::simple);
  const bool by_ll = share.protocol == Protocol::ll && version_ == Version::v2_27;
  const unsigned n = by_ll ? count(bytes, ll_step) : plain;
  const std::uint64_t each = before_2_22() ? up(std::max(over(bytes, n), chunk_ / parts_of_step), chunk_ / parts_of_step)
                                           : up(over(bytes, n), page);
  for (unsigned p = 0; p < n; ++p) {
    const std::uint64_t begin = std::min(bytes, p * each);
    share.parts.push_back({begin, std::min(bytes, begin + each) - begin});
  }
  return share;
}

/// From 2.22 on distances follow triangular numbers modulo a power of two, which visit each once.
std::vector<unsigned> P2pRules::rounds() const {
  std::vector<unsigned> all;
  const unsigned power = power_of_two_from(gpus_);
  for (unsigned i = 0, distance = 0; i < power; ++i, distance = (distance + (before_2_22() ? 1 : i)) % power)
    if (distance < gpus_) all.push_back(distance);
  return all;
}

unsigned P2pRules::channel(unsigned round, unsigned part) const {
  return before_2_22() ? (mirrored(round % channels_, channels_) + part) % channels_
                       : (round + mirrored(part, channels_)) % channels_;
}

P2pWarps P2pRules::warps(unsigned works, bool sends, bool receives, Protocol protocol) const {
  P2pWarps warps;
  if (before_2_22()) {
    unsigned each = 1;
    while (2 * power_of_two_from(works) * each <= all_warps / 2) each *= 2;
    warps = {each + (each > 1 ? 1 : 0), each};
  } else {
    const unsigned each = all_warps / works;
    warps.receives = each <= 4 ? each / 2 : (each - 1) / 2;
    warps.sends = each <= 4 ? warps.receives : warps.receives + 1;
    if (!sends || !receives) warps.sends = warps.receives = warps.sends + warps.receives;
  }
  if (protocol == Protocol::simple && warps.sends >= extra_warp_from) --warps.sends;
  return warps;
}

}  // namespace tributary::nccl
