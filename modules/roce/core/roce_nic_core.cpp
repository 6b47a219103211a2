#include "modules/roce/core/roce_nic_core.h"

#include <algorithm>
#include <stdexcept>

#include "modules/protocol/chunk_bits.h"

namespace tributary {
namespace {

/// Returns the part of a latency that remains after `first`.
Tick rest(Time latency, Time first) { return latency > first ? (latency - first).value : 0; }

constexpr unsigned unknown = QueuePairTable::unknown;

SendQueue::Config send_config(const RoceParams& p) {
  SendQueue::Config send;
  send.mtu = static_cast<std::uint32_t>(p.mtu.value);
  send.ack_interval = p.ack_interval.value_or(256);
  send.rto = p.rto.value;
  send.retry_count = p.retry_count;
  return send;
}

}  // namespace

Tick soonest_effect(const RoceParams& params, bool pausable, Tick pause_reaction) {
  const Tick acts = params.ack_latency.value;
  return pausable ? std::min(acts, pause_reaction) : acts;
}

RoceNicCore::RoceNicCore(const Config& config, EthernetLinks& links, PacketPool& pool, HostMemoryPort& memory,
                         VerbsListener& listener)
    : config_(config),
      dcqcn_(DcqcnConfig::of(config.params.dcqcn, config.rate)),
      check_(config.checking, config.format),
      visible_after_(rest(config.params.rx_latency, config.params.ack_latency)),
      complete_after_(rest(config.params.completion_latency, config.params.ack_latency)),
      links_(links),
      pool_(pool),
      memory_(&memory),
      listener_(listener),
      queue_pairs_({send_config(config.params), dcqcn_, config.params.nack_once, config.station, config.queue_pairs}) {
  if (config.feed) feed_ = &rate_.emplace(*config.feed);
}

void RoceNicCore::connect(HostMemoryPort& memory, NicFeed& feed) {
  memory_ = &memory;
  feed_ = &feed;
  fed_by_packet_ = feed.by_packet();
  timed_memory_ = memory.takes_time();
}

unsigned RoceNicCore::add_queue_pair(const QueuePairConfig& c) {
  const unsigned index = queue_pairs_.add(c);
  arbiter_.add();
  return index;
}

void RoceNicCore::clear_queue_pairs() {
  reset();
  queue_pairs_.clear();
  arbiter_ = {};
}

void RoceNicCore::post_write(unsigned index, const WriteRequest& request, Tick when) {
  if (index >= queue_pairs())
    throw std::out_of_range("queue pair " + std::to_string(index) + " of " + std::to_string(queue_pairs()));
  QueuePair& qp = queue_pairs_[index];
  if (!memory_->contains(request.local, request.data_bytes))
    throw std::invalid_argument("queue pair " + std::to_string(qp.config.number) + " is to send " +
                                std::to_string(request.data_bytes) + " B at " + std::to_string(request.local) +
                                ", which are outside of the host's memory");
  if (request.signalled) ++qp.outstanding;
  posted_.insert_sorted([](const Posted& a, const Posted& b) { return a.when < b.when; },
                        when + config_.params.tx_latency.value, index, request);
}

Tick RoceNicCore::wire_next() const {
  if (held_) return held_until_;
  const Tick turn = arbiter_.next();
  return turn == never ? never : std::max({turn, fed_, links_[config_.port].free_at()});
}

Tick RoceNicCore::next() const {
  Tick t = wire_next();
  if (!frames_.empty()) t = std::min(t, frames_.front().when);
  if (!posted_.empty()) t = std::min(t, posted_.front().when);
  if (!arrivals_.empty()) t = std::min(t, arrivals_.front().when);
  if (!completions_.empty()) t = std::min(t, completions_.front().when);
  return std::min(t, timers_.next());
}

Tick RoceNicCore::run_until(Tick horizon) {
  stop_ = horizon;
  Tick now = next();
  for (; now <= stop_; now = next()) run_at(now);
  become_visible(stop_);
  return now;
}

void RoceNicCore::run_at(Tick now) {
  become_visible(now);
  for (; !arrivals_.empty() && arrivals_.front().when <= now; arrivals_.pop()) {
    const Notification a = arrivals_.front();
    if (!a.notice) continue;
    arrived(now, a.value);
    stop(now);
    listener_.arrived(a.queue_pair, static_cast<std::uint32_t>(a.value), now);
  }
  while (!frames_.empty() && frames_.front().when <= now) {
    Packet* const packet = frames_.front().packet;
    frames_.pop();
    frame(packet, now);
  }
  while (!completions_.empty() && completions_.front().when <= now) {
    const Notification c = completions_.front();
    completions_.pop();
    --queue_pairs_[c.queue_pair].outstanding;
    completed(now, c.value);
    stop(now);
    listener_.completed(c.queue_pair, c.value, now);
  }
  for (; !posted_.empty() && posted_.front().when <= now; posted_.pop()) {
    const Posted& p = posted_.front();
    queue_pairs_[p.queue_pair].send.post(p.request);
    if (fed_by_packet_) feed_->posted(p.queue_pair, p.request, now);
    offer(p.queue_pair, now);
  }
  timers_.settle();
  while (timers_.next() <= now) time_out(timers_.first(), now);
  if (wire_next() <= now) send(now);
}

// ---- reception

void RoceNicCore::receive(Packet* packet, Tick tail) {
  if (roce(*packet).kind == FrameKind::pause && packet->damage == whole && config_.pausable) {
    pause(*packet, tail);
    packet->release();
    return;
  }
  frames_.push(tail + config_.params.ack_latency.value, packet);
}

/// The packet that is queued at the transmitter may now start earlier or later.
void RoceNicCore::pause(const Packet& packet, Tick tail) {
  const std::uint32_t traffic_class = roce(packet).extra >> 16, quanta = roce(packet).extra & 0xFFFF;
  if (traffic_class >= EthernetLink::vcs) return malformed(tail, roce(packet).queue_pair);
  links_.pause(config_.port, traffic_class, quanta, tail);
  if (held_) held_until_ = links_.run(config_.port, held_since_);
}

void RoceNicCore::frame(Packet* packet, Tick now) {
  const RoceHeader& header = roce(*packet);
  unsigned index = unknown;
  const FrameDamage damage = check_(*packet);
  const bool for_software = damage == whole && header.kind == FrameKind::datagram && header.destination == config_.station;
  if (damage == fcs_wrong)
    fcs_errors(now, header.queue_pair);
  else if (damage != whole)
    icrc_errors(now, header.queue_pair);
  else if (for_software)
    ++counts_.datagrams, show<EthernetLink>(datagrams, now + visible_after_, *packet);
  else if (header.destination != config_.station || (index = queue_pairs_.find(header)) == unknown ||
           !is_valid(queue_pairs_[index], *packet))
    malformed(now, header.queue_pair), index = unknown;
  if (index == unknown) {
    if (!for_software)
      show_fate<EthernetLink>(fate, now, *packet,
                              damage == fcs_wrong ? "dropped: its FCS is wrong"
                              : damage != whole   ? "dropped: its ICRC is wrong"
                                                  : "dropped: malformed");
    return packet->release();
  }

  if (is_write(header.kind)) return write_packet(index, packet, now);
  QueuePair& qp = queue_pairs_[index];
  const auto complete = [&](std::uint64_t id) { completions_.push(now + complete_after_, index, true, id); };
  if (header.kind == FrameKind::ack)
    qp.send.acknowledge(header.psn, now, complete);
  else if (header.kind == FrameKind::nack)
    qp.send.negative(header.psn, now, complete);
  else
    ++counts_.cnps, qp.rate.notify(now);
  offer(index, now);
  packet->release();
}

/// A packet is invalid if no sender of this connection makes it: it is not answered and changes no state.
bool RoceNicCore::is_valid(const QueuePair& qp, const Packet& packet) const {
  const RoceHeader& header = roce(packet);
  if (header.psn > Psn::mask) return false;
  if (!is_write(header.kind))
    return packet.payload_bytes == 0 &&
           (header.kind == FrameKind::ack || header.kind == FrameKind::nack || (header.kind == FrameKind::cnp && dcqcn_.on));
  const auto mtu = static_cast<unsigned>(config_.params.mtu.value);
  if (packet.payload_bytes > mtu || (!ends_write(header.kind) && packet.payload_bytes != mtu)) return false;
  if (header.psn != qp.receive.expected()) return true;
  return begins_write(header.kind) != qp.receive.in_message() &&
         memory_->contains(qp.receive.place(header), packet.payload_bytes);
}

void RoceNicCore::write_packet(unsigned index, Packet* packet, Tick now) {
  QueuePair& qp = queue_pairs_[index];
  const RoceHeader& header = roce(*packet);
  if (header.ecn == static_cast<std::uint8_t>(Ecn::congested) && qp.notifier.marked(now)) {
    cnps(now, qp.config.number);
    answer(FrameKind::cnp, qp, 0, now);
  }
  const ReceiveVerdict v = qp.receive.receive(header, packet->payload_bytes, now);
  if (v.ends) {
    qp.messages = Psn::add(qp.messages, 1);
    arrivals_.push(now + visible_after_, index, v.immediate_valid, v.immediate);
  }
  if (v.ack || v.nack) answer(v.ack ? FrameKind::ack : FrameKind::nack, qp, v.psn, now);
  if (v.kind == ReceiveVerdict::Kind::accepted)
    show<EthernetLink>(delivered, now + visible_after_, *packet);
  else
    show_fate<EthernetLink>(
        fate, now, *packet,
        v.kind == ReceiveVerdict::Kind::gap ? "dropped: an earlier packet is missing" : "dropped: it is a duplicate");
  if (v.kind != ReceiveVerdict::Kind::accepted || !(timed_memory_ || (packet->payload != nullptr && memory_->holds_data())))
    return packet->release();
  written_.push(now + visible_after_, packet, PayloadPlace{index, v.address});
  // A write that has a time is an event, as the end of a message is.
  if (timed_memory_ && !v.ends) arrivals_.push(now + visible_after_, index, false, std::uint64_t{0});
}

void RoceNicCore::answer(FrameKind kind, QueuePair& qp, std::uint32_t psn, Tick now) {
  Packet* const packet = make_frame(pool_, kind, 0, false);
  packet->born = now;
  packet->vc = control_class;
  RoceHeader& header = roce(*packet);
  header.psn = psn;
  header.queue_pair = qp.config.peer_number;
  header.source = config_.station;
  header.destination = qp.config.peer;
  header.udp_port = qp.config.udp_port;
  if (kind != FrameKind::cnp) header.extra = qp.messages;  // MSN of the AETH
  links_.push(config_.port, packet, control_class, now, now);
}

void RoceNicCore::write_first() {
  const Written& w = written_.front();
  if (timed_memory_)
    memory_->write_at(w.to, w.packet->payload, w.packet->payload_bytes, w.when);
  else
    memory_->write(w.to.address, w.packet->payload, w.packet->payload_bytes);
  w.packet->release();
  written_.pop();
}

// ---- reports

std::vector<std::string> RoceNicCore::waiting() const {
  std::vector<std::string> lines = queue_pairs_.waiting();
  if (!frames_.empty()) lines.push_back(std::to_string(frames_.size()) + " frames have arrived");
  return lines;
}

void RoceNicCore::reset() {
  for (; !frames_.empty(); frames_.pop()) frames_.front().packet->release();
  for (; !written_.empty(); written_.pop()) written_.front().packet->release();
  posted_.clear(), arrivals_.clear(), completions_.clear(), timers_.clear();
  arbiter_.reset();
  queue_pairs_.reset();
  held_ = false;
  held_until_ = never;
  counts_ = {};
  fed_ = 0;
  if (feed_ != nullptr) feed_->reset();
  check_.reset();
}

void RoceNicCore::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add(prefix + "delivered", delivered, "packet that was expected next, when its data become visible",
                chunk_bits<EthernetLink>, EthernetLink::opcode_names);
  directory.add(prefix + "datagrams", datagrams, "datagram, when it reaches the host's software", chunk_bits<EthernetLink>,
                EthernetLink::opcode_names);
  directory.add_signal(prefix + "completed", completed, SignalKind::strobe, 32, "a request is complete (its number)");
  directory.add_signal(prefix + "arrived", arrived, SignalKind::strobe, 32, "a message is complete (its immediate)");
  directory.add_signal(prefix + "cnps_sent", cnps, SignalKind::strobe, 24, "a marked packet is answered by a CNP");
  directory.add_signal(prefix + "fcs_errors", fcs_errors, SignalKind::strobe, 24, "a frame is dropped: wrong FCS");
  directory.add_signal(prefix + "icrc_errors", icrc_errors, SignalKind::strobe, 24, "a packet is dropped: wrong ICRC");
  directory.add_signal(prefix + "malformed", malformed, SignalKind::strobe, 24,
                       "a frame is dropped: not for this host, of no connection, or invalid");
  directory.add(prefix + "fate", fate, "frame that is dropped");
  queue_pairs_.describe(directory, prefix);
}

}  // namespace tributary
