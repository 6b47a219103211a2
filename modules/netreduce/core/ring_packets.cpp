#include "modules/netreduce/core/ring_packets.h"

namespace tributary {

WriteRequest packet_request(const RingPlan& plan, std::uint32_t message, std::uint32_t offset) {
  const RingPattern& pattern = plan.pattern;
  const std::uint32_t length = pattern.message_packets;
  const bool ends = offset + 1 == length;
  WriteRequest w;
  w.id = ends ? message : part_of_message;
  w.signalled = ends || (offset + 1) % plan.ack_interval == 0;
  w.immediate_valid = ends;
  w.immediate = ends ? message : 0;
  if (offset == 0) {
    w.tagged = true;
    w.header = {plan.ring, plan.rank, message, static_cast<std::uint16_t>(length)};
    w.bytes = AggregationHeader::bytes;
    w.local = plan.operand;
    w.remote = plan.remote_buffers + pattern.header_place();
    return w;
  }
  const RingPattern::Data data = pattern.data(message, offset);
  w.local = plan.operand + data.place;
  w.remote = plan.remote_buffers + data.place;
  w.bytes = w.data_bytes = pattern.sends(plan.rank, message, offset) ? data.bytes : 0;
  return w;
}

}  // namespace tributary
