#include "testbench/workload/background_traffic.h"

#include <cmath>

#include "modules/base/host/wide.h"
#include "modules/base/random.h"
#include "modules/protocol/nvlink.h"

namespace tributary {
namespace {
// Random streams, with numbers far from those of other blocks, which count from 0 or hash addresses.
enum Stream : std::uint64_t { presence = 0xBAC0, destination, address };
constexpr unsigned address_bits = 40;
constexpr std::uint64_t packet_bytes = std::uint64_t{NvLink::max_packet_flits} * NvLink::flit_bytes;
}  // namespace

std::uint64_t BackgroundTraffic::random(std::uint64_t what, std::uint64_t slot) const {
  return random_at(config_.seed, mix64(what << 16 | config_.gpu), slot);
}

bool BackgroundTraffic::holds_a_write(std::uint64_t slot) const {
  if (config_.load >= 1) return true;
  // 53 bits, which a double holds exactly
  return static_cast<double>(random(presence, slot) >> 11) < std::ldexp(config_.load, 53);
}

Tick BackgroundTraffic::time_of(std::uint64_t slot) const {
  const Wide product = static_cast<Wide>(slot) * packet_bytes * 1'000'000'000'000ull;
  return t0_ + static_cast<Tick>(product / config_.rate.value);
}

void BackgroundTraffic::find_from(std::uint64_t slot) {
  while (!holds_a_write(slot)) ++slot;
  slot_ = slot;
  time_ = time_of(slot);
}

void BackgroundTraffic::start(Tick t0) {
  t0_ = t0;
  stop_ = never;
  if (enabled()) find_from(0);
}

Tick BackgroundTraffic::next() const { return time_ < stop_ ? time_ : never; }

BackgroundTraffic::Write BackgroundTraffic::take() {
  Write write;
  write.destination = static_cast<std::uint16_t>(below(random(destination, slot_), config_.gpus - 1));
  if (write.destination >= config_.gpu) ++write.destination;
  write.address = first_address + (random(address, slot_) >> (64 - address_bits)) * block_bytes;
  find_from(slot_ + 1);
  return write;
}

void BackgroundTraffic::reset() {
  counts_ = {};
  time_ = stop_ = never;
}

}  // namespace tributary
