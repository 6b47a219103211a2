#include "modules/roce/core/send_queue.h"

#include <algorithm>
#include <cassert>
#include <stdexcept>

namespace tributary {

SendQueue::SendQueue(const Config& config) { configure(config); }

void SendQueue::configure(const Config& config) {
  if (config.mtu == 0 || config.ack_interval == 0) throw std::invalid_argument("MTU and ACK interval must not be 0");
  config_ = config;
  reset();
}

std::uint32_t SendQueue::packets_of(const WriteRequest& request) const {
  return request.bytes == 0 ? 1 : (request.bytes - 1) / config_.mtu + 1;
}

void SendQueue::post(const WriteRequest& request) {
  const Entry added{request, end_, packets_of(request)};
  entries_.push(added.request, added.first, added.packets);
  end_ = added.end();
}

SendQueue::Segment SendQueue::peek() const {
  assert(ready());
  const Entry& e = entries_[cursor_];
  const auto index = static_cast<std::uint32_t>(next_ - e.first);
  const bool first = index == 0, last = index + 1 == e.packets;
  Segment s;
  s.request = completed_ + cursor_;
  s.offset = index * config_.mtu;
  s.bytes = last ? e.request.bytes - s.offset : config_.mtu;
  s.psn = psn_of(next_);
  if (!last)
    s.kind = first ? FrameKind::write_first : FrameKind::write_middle;
  else if (e.request.immediate_valid)
    s.kind = first ? FrameKind::write_only_immediate : FrameKind::write_last_immediate;
  else
    s.kind = first ? FrameKind::write_only : FrameKind::write_last;
  s.ack_request = (last && e.request.signalled) || (index + 1) % config_.ack_interval == 0;
  s.again = next_ < high_;
  return s;
}

SendQueue::Segment SendQueue::take(Tick now) {
  const Segment s = peek();
  const std::uint32_t data = entries_[cursor_].request.data_bytes;  // padding is not read
  counts_.bytes += s.offset < data ? std::min<std::uint64_t>(s.bytes, data - s.offset) : 0;
  if (high_ == una_) since_ = now;
  ++next_;
  if (entries_[cursor_].end() == next_) ++cursor_;
  high_ = std::max(high_, next_);
  if (s.ack_request) asked_ = next_;
  if (s.ack_request && deadline_ == never) deadline_ = now + config_.rto;
  psn_probe(now, s.psn);
  if (s.again) ++counts_.retries, retries(now, s.psn);
  return s;
}

void SendQueue::fill(const Segment& s, RoceHeader& header) const {
  const WriteRequest& request = entry(s).request;
  const bool first = begins_write(s.kind);
  header.kind = s.kind;
  header.psn = s.psn;
  header.ack_request = s.ack_request;
  header.tagged = first && request.tagged;
  header.address = first ? request.remote : 0;
  header.ring = header.tagged ? request.header.ring : std::uint16_t{0};
  header.rank = header.tagged ? request.header.rank : std::uint16_t{0};
  header.extra = header.tagged                      ? request.header.message
                 : has_immediate(s.kind)            ? request.immediate
                 : s.kind == FrameKind::write_first ? request.bytes  // DMA length of the RETH
                                                    : 0;
}

bool SendQueue::forward(std::int64_t packets, Tick now) {
  if (packets <= 0 || una_ + static_cast<std::uint64_t>(packets) > high_ || failed_) return false;
  una_ += static_cast<std::uint64_t>(packets);
  since_ = now;
  if (next_ < una_) next_ = una_, find_next();
  retry_ = 0;
  deadline_ = asked_ > una_ ? now + config_.rto : never;
  una_probe(now, psn_of(una_));
  return true;
}

bool SendQueue::rewind_to(std::int64_t packets, Tick now) {
  if (packets < 0 || una_ + static_cast<std::uint64_t>(packets) >= high_ || failed_) return false;
  forward(packets, now);
  ++counts_.nacks;
  nacks(now, psn_of(una_));
  rewind(now);
  return true;
}

void SendQueue::rewind(Tick now) {
  next_ = asked_ = una_;
  deadline_ = never;
  cursor_ = 0;
  find_next();
  ++counts_.rewinds;
  rewinds(now, psn_of(una_));
}

void SendQueue::find_next() {
  while (cursor_ < entries_.size() && entries_[cursor_].end() <= next_) ++cursor_;
}

void SendQueue::timeout(Tick now) {
  if (failed_ || una_ == high_) return;
  ++counts_.timeouts;
  timeouts(now, psn_of(una_));
  if (config_.retry_count != 0 && retry_ == config_.retry_count) {
    failed_ = true;
    deadline_ = never;
    return;
  }
  ++retry_;
  rewind(now);
}

std::string SendQueue::waiting() const {
  if (quiescent()) return "";
  if (high_ == una_) return std::to_string(end_ - una_) + " packets to send from PSN " + std::to_string(una());
  std::string text = std::to_string(high_ - una_) + " packets unacknowledged from PSN " + std::to_string(una());
  if (failed_) return text + ", given up after " + std::to_string(retry_) + " retries";
  if (retry_ == 0) return text;
  text += ", timeout " + std::to_string(retry_);
  return config_.retry_count == 0 ? text : text + " of " + std::to_string(config_.retry_count);
}

template <class Self, class Archive>
void SendQueue::exchange(Self& self, Archive& archive) {
  archive(self.completed_, self.una_, self.next_, self.high_, self.end_, self.asked_, self.deadline_, self.failed_);
  if (self.config_.retry_count != 0) archive(self.retry_);
}

void SendQueue::save(StateWriter& out) const {
  exchange(*this, out);
  out(entries_.size());
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    const WriteRequest& r = entries_[i].request;
    out(r.id, r.local, r.remote, r.bytes, r.data_bytes, r.immediate_valid, r.immediate, r.tagged, r.signalled);
    if (r.tagged) out(r.header.ring, r.header.rank, r.header.message, r.header.message_packets);
  }
}

void SendQueue::load(StateReader& in) {
  exchange(*this, in);
  std::uint32_t count = 0;
  in(count);
  entries_.clear();
  std::uint64_t first = end_;
  for (std::uint32_t i = 0; i < count; ++i) {
    WriteRequest r;
    in(r.id, r.local, r.remote, r.bytes, r.data_bytes, r.immediate_valid, r.immediate, r.tagged, r.signalled);
    if (r.tagged) in(r.header.ring, r.header.rank, r.header.message, r.header.message_packets);
    const std::uint32_t packets = packets_of(r);
    entries_.push(r, std::uint64_t{0}, packets);
    first -= packets;
  }
  for (std::uint32_t i = 0; i < count; first = entries_[i++].end()) entries_[i].first = first;
  cursor_ = 0;
  find_next();
}

void SendQueue::reset() {
  entries_.clear();
  cursor_ = retry_ = 0;
  completed_ = una_ = next_ = high_ = end_ = asked_ = 0;
  deadline_ = never, since_ = 0;
  failed_ = false;
  counts_ = {};
}

void SendQueue::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add_signal(prefix + "psn", psn_probe, SignalKind::level, 24, "PSN of the last packet sent");
  directory.add_signal(prefix + "una", una_probe, SignalKind::level, 24, "PSN of the first packet not acknowledged");
  directory.add_signal(prefix + "rewinds", rewinds, SignalKind::strobe, 24, "the sender rewinds to this PSN");
  directory.add_signal(prefix + "timeouts", timeouts, SignalKind::strobe, 24, "no acknowledgement of this PSN in time");
  directory.add_signal(prefix + "nacks", nacks, SignalKind::strobe, 24, "a NACK has arrived: this PSN is expected");
  directory.add_signal(prefix + "retries", retries, SignalKind::strobe, 24, "a packet is sent again (its PSN)");
}

}  // namespace tributary
