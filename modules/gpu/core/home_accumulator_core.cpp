#include "modules/gpu/core/home_accumulator_core.h"

#include <array>
#include <cstring>

namespace tributary {

void HomeAccumulatorCore::packet(Packet* packet, Arrival, Tick now) {
  const std::uint64_t address = nv(*packet).address;
  const bool everybody_adds = nv(*packet).target == Target::region;
  seat_.acknowledge(*packet, now);
  partials(now, address / block_bytes);
  Packet* sum = sums_.add(everybody_adds ? own_copy(packet) : packet, seat_.program().members);
  seat_.count_added(sums_.take_added_bytes());
  if (sum == nullptr) return seat_.memory().added();
  results(now, address / block_bytes);
  std::array<std::byte, block_bytes> scratch{};
  const Tick ready = seat_.read_at(seat_.local(address), scratch.data(), sum->payload_bytes, now);
  if (everybody_adds || nv(*sum).to_one)
    seat_.loop_back(sum, ready, Arrival::local);
  else
    seat_.multicast_result(sum, ready, now);
}

/// Returns a private copy if the copies of a multicast share the packet.
Packet* HomeAccumulatorCore::own_copy(Packet* packet) {
  if (packet->references() == 1) return packet;
  Packet* copy = seat_.pool().make(packet->payload_bytes, packet->payload != nullptr);
  nv(*copy) = nv(*packet);
  copy->born = packet->born;
  if (copy->payload != nullptr) std::memcpy(copy->payload, packet->payload, packet->payload_bytes);
  packet->release();
  return copy;
}

void HomeAccumulatorCore::describe(ProbeDirectory& directory, const std::string& name) {
  directory.add_signal(name + ".partials", partials, SignalKind::strobe, 41, "a partial sum arrives (block number)");
  directory.add_signal(name + ".results", results, SignalKind::strobe, 41,
                       "a sum is complete at its home GPU (block number)");
}

}  // namespace tributary
