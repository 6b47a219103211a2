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

std::uint64_t RingJob::busiest_port() const {
  if (!pattern_.by_packet())
    return messages_ * write_wire_bytes(std::uint64_t{pattern_.message_packets} * pattern_.mtu, pattern_.mtu);
  constexpr FrameKind middle = FrameKind::write_only, last = FrameKind::write_only_immediate;
  const auto wire = [](FrameKind kind, unsigned bytes) { return EthernetFrame::wire_bytes(kind, bytes); };
  std::uint64_t empty = 0, data = 0;                    // bytes of packets without data; bytes that data add to them
  std::vector<std::uint64_t> of_owner(pattern_.ranks);  // part of `data`
  for (std::uint32_t m = 0; m < messages_; ++m) {
    empty += wire(middle, AggregationHeader::bytes);
    for (std::uint32_t o = 1; o < pattern_.message_packets; ++o) {
      const FrameKind kind = o + 1 == pattern_.message_packets ? last : middle;
      const RingPattern::Data d = pattern_.data(m, o);
      const std::uint64_t added = wire(kind, d.bytes) - wire(kind, 0);
      empty += wire(kind, 0);
      data += added;
      of_owner[d.owner] += added;
    }
  }
  // All ranks send all data, or a rank receives all but its own.
  return empty + data - (pattern_.adds() ? 0 : *std::min_element(of_owner.begin(), of_owner.end()));
}

}  // namespace tributary
