#include "testbench/family/netreduce/ring_job.h"

#include <algorithm>
#include <vector>

#include "modules/netreduce/core/chunker.h"
#include "modules/protocol/roce.h"
#include "testbench/family/netreduce/algorithms.h"
#include "testbench/workload/memory_layout.h"

namespace tributary {
namespace {

NetReduceLayout layout_of(const JobSpec& job, Bytes message, const RingPattern& pattern,
                          const NetReducePlatformParams& params) {
  if (!pattern.by_packet()) return NetReduceLayout::of(message, params);
  const std::uint64_t operand = MemoryLayout::of(job, message).mailboxes;
  const bool apart = pattern.adds() && params.flow_control.buffers == HostBuffers::out_of_place;
  return NetReduceLayout::of_packets(operand, pattern.memory_bytes(), apart, params);
}

}  // namespace

RingPattern ring_pattern(const JobSpec& job, Bytes message, const NetReducePlatformParams& params) {
  RingPattern p;
  p.collective = netreduce_algorithm(job).on_ring;
  p.ranks = static_cast<unsigned>(job.ranks.size());
  p.root = static_cast<unsigned>(job.root);
  p.message_packets = params.flow_control.messages.message_packets;
  p.mtu = static_cast<unsigned>(params.nic.mtu.value);
  if (!p.by_packet()) return p;
  p.long_bytes = p.short_bytes = message.value;
  p.pitch = MemoryLayout::of(job, message).mailboxes;
  if (!p.in_parts()) return p;
  const collective::Parts parts = parts_of(job, message);
  p.long_bytes = parts.bytes(0);
  p.short_bytes = parts.bytes(job.ranks.size() - 1);
  p.pitch /= p.ranks;
  p.longer = 0;
  while (p.longer < p.ranks && parts.bytes(p.longer) == p.long_bytes) ++p.longer;
  return p;
}

RingJob::RingJob(const JobSpec& job, Bytes message, const NetReducePlatformParams& params)
    : params_(params),
      message_(message),
      pattern_(ring_pattern(job, message, params)),
      layout_(layout_of(job, message, pattern_, params)),
      messages_(pattern_.by_packet() ? pattern_.messages()
                                     : Chunker(message.value, pattern_.message_packets, pattern_.mtu).messages()) {}

RingPlan RingJob::ring_plan() const {
  RingPlan made;
  made.bytes = message_.value;
  made.result = layout_.result;
  made.receive_buffers = layout_.receive_buffers;
  made.remote_buffers = pattern_.by_packet() ? layout_.result : layout_.receive_buffers;
  made.staging = layout_.staging;
  made.pattern = pattern_;
  made.ack_interval = params_.nic.ack_interval.value_or(256);
  return made;
}

// ---- bytes on the wire

/// Packets of an all-reduce all have data, and no owner. Between switches no packet has a RETH or an
/// aggregation header.
RingBytes::RingBytes(const RingPattern& pattern, std::uint32_t messages) : pattern_(pattern) {
  const auto wire = [](FrameKind kind, unsigned bytes) { return EthernetFrame::wire_bytes(kind, bytes); };
  const std::uint32_t length = pattern.message_packets;
  at_host_.of_owner.resize(pattern.ranks), at_spine_.of_owner.resize(pattern.ranks);
  if (!pattern.by_packet()) {
    at_host_.data = messages * write_wire_bytes(std::uint64_t{length} * pattern.mtu, pattern.mtu);
    at_spine_.data = std::uint64_t{messages} * length * wire(FrameKind::write_middle, pattern.mtu);
    return;
  }
  constexpr FrameKind middle = FrameKind::write_only, last = FrameKind::write_only_immediate;
  const auto add = [&](Sum& sum, FrameKind kind, const RingPattern::Data& data) {
    const std::uint64_t added = wire(kind, data.bytes) - wire(kind, 0);
    sum.empty += wire(kind, 0);
    sum.data += added;
    sum.of_owner[data.owner] += added;
  };
  for (std::uint32_t m = 0; m < messages; ++m) {
    at_host_.empty += wire(middle, AggregationHeader::bytes);
    at_spine_.empty += wire(FrameKind::write_middle, 0);
    for (std::uint32_t o = 1; o < length; ++o) {
      add(at_host_, o + 1 == length ? last : middle, pattern.data(m, o));
      add(at_spine_, FrameKind::write_middle, pattern.data(m, o));
    }
  }
}

std::uint64_t RingBytes::sent(unsigned rank) const { return pattern_.adds() ? at_host_.all() : at_host_.owned(rank); }

std::uint64_t RingBytes::received(unsigned rank) const {
  if (!pattern_.by_packet()) return at_host_.all();
  return pattern_.adds() ? at_host_.owned(rank) : at_host_.all() - at_host_.of_owner.at(rank);
}

std::uint64_t RingBytes::up(const std::vector<unsigned>& ranks) const {
  if (pattern_.adds()) return at_spine_.all();
  std::uint64_t bytes = at_spine_.empty;
  for (const unsigned rank : ranks) bytes += at_spine_.of_owner.at(rank);
  return bytes;
}

std::uint64_t RingBytes::down(const std::vector<unsigned>& ranks) const {
  if (!pattern_.by_packet()) return at_spine_.all();
  if (!pattern_.adds()) return at_spine_.all() - (ranks.size() == 1 ? at_spine_.of_owner.at(ranks.front()) : 0);
  std::uint64_t bytes = at_spine_.empty;
  for (const unsigned rank : ranks) bytes += at_spine_.of_owner.at(rank);
  return bytes;
}

}  // namespace tributary
