/// NicCore: the receiving half: packets become chunks, which are added or stored.

#include <cstring>
#include <utility>

#include "modules/base/host/streaming_copy.h"
#include "modules/nic/core/nic_core.h"

namespace tributary {
namespace {

/// Prefetches the next packet of this chunk: packets of several chunks alternate, too far apart for the processor's own
/// prefetcher.
template <int write>
void fetch_next(const std::byte* place, unsigned bytes) {
  constexpr unsigned line = 64, most = 512;
  for (unsigned at = 0; at < bytes && at < most; at += line) __builtin_prefetch(place + bytes + at, write);
}

}  // namespace

void NicCore::eject(unsigned, Packet* packet, Tick end) {
  const RouterHeader& h = router_header(*packet);
  if (h.kind == ChunkKind::short_packet) {
    show<ScheduleNicLink>(short_delivered, end, *packet);
    return packet->release();
  }
  show_delivery<ScheduleNicLink>(delivered, end, *packet);
  if (h.payload_view != PayloadViews::none) {
    store(h, views_.data(h.payload_view, h.address), packet->payload_bytes);
    views_.arrived(h.payload_view);
  } else if (packet->payload != nullptr) {
    store(h, packet->payload, packet->payload_bytes);
  }
  ++traffic_.writes;
  const std::uint16_t from = h.route.to_neighbour() ? config_.sender_of_port[h.route.neighbour().eject] : h.source;
  const std::uint32_t operation = step_.active() ? step_.operation_of(h.address) : 0;
  if (assembly_.arrived({h.kind, h.flow, from, operation}, packet->payload_bytes, h.chunk_bytes)) {
    if (step_.active() && operation != step_.current())
      early_.push_back({operation, h.kind, h.flow, from, h.chunk_bytes});
    else
      take_chunk(h.kind, h.flow, from, h.chunk_bytes, end);
  }
  packet->release();
}

void NicCore::take_chunk(ChunkKind kind, std::uint16_t flow, std::uint16_t from, std::uint64_t bytes, Tick when) {
  using Op = ScheduleEntry::Op;
  if (kind == ChunkKind::command) return commands_.received(flow, when);
  schedule_.receive(kind == ChunkKind::reduce ? Op::reduce : Op::gather, flow, from, bytes, when);
}

void NicCore::store(const RouterHeader& h, const std::byte* data, unsigned bytes) {
  if (memory_ == nullptr) return store_over_port(h, data, bytes);
  about_to_change(h.address, bytes);
  std::byte* const place = memory_ + h.address;
  fetch_next<0>(data, bytes);
  if (h.kind == ChunkKind::reduce) {
    fetch_next<1>(place, bytes);
    observe(h, data, place);
    combine(place, data, bytes);
  } else {
    copy_streaming(place, data, bytes);
  }
}

void NicCore::observe(const RouterHeader& h, const std::byte* data, const std::byte* sum) {
  if (schedule_.sums.observed() && h.sequence == 0) schedule_.sums.operand(h.flow, h.source, data, sum);
}

void NicCore::store_over_port(const RouterHeader& h, const std::byte* data, unsigned bytes) {
  if (h.kind != ChunkKind::reduce) return ports_.memory.write(h.address, data, bytes);
  std::vector<std::byte> sum(bytes);
  ports_.memory.read(h.address, sum.data(), bytes);
  observe(h, data, sum.data());
  combine(sum.data(), data, bytes);
  ports_.memory.write(h.address, sum.data(), bytes);
}

void NicCore::combine(std::byte* sum, const std::byte* data, std::uint64_t bytes) {
  if (ports_.unit_adds_data) return ports_.reduction.combine(sum, data, bytes / element_size(type_), type_, op_);
  apply(op_, type_, sum, data, bytes);
}

/// Packets already sent from this range keep their data; later packets have the new data.
void NicCore::about_to_change(std::uint64_t address, std::uint64_t bytes) {
  if (!payload_owner_.viewed(address, bytes) || !views_.copy_on_write(payload_owner_, address, bytes)) return;
  for (const auto& interface : interfaces_)
    for (unsigned channel = 0; channel < interface->queue.channels(); ++channel) {
      if (!interface->queue.sends(channel)) continue;
      PayloadViews::Id& view = interface->queue.chunk(channel).view;
      if (view != PayloadViews::none && !views_.open(view)) view = PayloadViews::none;
    }
}

void NicCore::add(const NicCommand& c) {
  if (!has_data_) return;
  const auto add_to = [&](std::byte* sum, const std::byte* data) {
    if (schedule_.sums.observed()) schedule_.sums.operand(c.flow, c.peer, data, sum);
    combine(sum, data, c.bytes);
  };
  if (memory_ != nullptr) {
    about_to_change(c.chunk, c.bytes);
    return add_to(memory_ + c.chunk, memory_ + c.from);
  }
  std::vector<std::byte> sum(c.bytes), data(c.bytes);
  ports_.memory.read(c.chunk, sum.data(), c.bytes);
  ports_.memory.read(c.from, data.data(), c.bytes);
  add_to(sum.data(), data.data());
  ports_.memory.write(c.chunk, sum.data(), c.bytes);
}

}  // namespace tributary
