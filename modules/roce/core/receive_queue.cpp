#include "modules/roce/core/receive_queue.h"

namespace tributary {

ReceiveVerdict ReceiveQueue::receive(const RoceHeader& header, unsigned payload_bytes, Tick now) {
  ReceiveVerdict v;
  const std::int32_t ahead = Psn::minus(header.psn, expected_);
  if (ahead > 0) {
    v.nack = !nacked_ || !config_.nack_once;
    v.psn = expected_;
    nacked_ = true;
    if (v.nack) ++counts_.nacks_sent, nacks(now, expected_);
    return v;
  }
  if (ahead < 0) {
    v.kind = ReceiveVerdict::Kind::duplicate;
    v.ack = true;
    v.psn = Psn::add(expected_, -1);
    ++counts_.duplicates;
    duplicates(now, header.psn);
    return v;
  }
  v.kind = ReceiveVerdict::Kind::accepted;
  v.ack = header.ack_request;
  v.psn = expected_;
  v.address = begins_write(header.kind) ? header.address : address_;
  v.ends = ends_write(header.kind);
  v.immediate_valid = has_immediate(header.kind);
  v.immediate = v.immediate_valid ? header.extra : 0;
  expected_ = Psn::add(expected_, 1);
  address_ = v.ends ? 0 : v.address + payload_bytes;
  in_message_ = !v.ends;
  nacked_ = false;
  ++counts_.accepted;
  counts_.bytes += payload_bytes;
  accepted(now, header.psn);
  return v;
}

void ReceiveQueue::reset() {
  expected_ = config_.first_psn & Psn::mask;
  address_ = 0;
  nacked_ = in_message_ = false;
  counts_ = {};
}

void ReceiveQueue::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add_signal(prefix + "accepted", accepted, SignalKind::strobe, 24, "a packet is accepted in order (its PSN)");
  directory.add_signal(prefix + "duplicates", duplicates, SignalKind::strobe, 24, "a packet arrives again (its PSN)");
  directory.add_signal(prefix + "nacks_sent", nacks, SignalKind::strobe, 24, "a packet later than this PSN has arrived");
}

}  // namespace tributary
