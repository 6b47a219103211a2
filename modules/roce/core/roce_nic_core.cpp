#include "modules/roce/core/roce_nic_core.h"

#include <algorithm>
#include <stdexcept>

#include "modules/base/waiting_since.h"
#include "modules/protocol/flow_bits.h"

namespace tributary {
namespace {

/// Returns the part of a latency that remains after `first`.
Tick rest(Time latency, Time first) { return latency > first ? (latency - first).value : 0; }

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
      memory_(memory),
      listener_(listener) {
  const RoceParams& p = config.params;
  send_config_.mtu = static_cast<std::uint32_t>(p.mtu.value);
  send_config_.ack_interval = p.ack_interval.value_or(256);
  send_config_.rto = p.rto.value;
  send_config_.retry_count = p.retry_count;
  while (queue_pairs_.size() < config.queue_pairs) make_queue_pair();
}

unsigned RoceNicCore::add_queue_pair(const QueuePairConfig& c) {
  if ((c.number | c.peer_number | c.send_psn | c.receive_psn) > Psn::mask)
    throw std::invalid_argument("a queue pair number or PSN has more than 24 bits");
  const unsigned index = used_;
  if (!index_of_.emplace(c.number, index).second)
    throw std::invalid_argument("station " + std::to_string(config_.station) + " has queue pair " +
                                std::to_string(c.number) + " already");
  QueuePair& qp = index < queue_pairs_.size() ? *queue_pairs_[index] : make_queue_pair();
  SendQueue::Config send = send_config_;
  send.first_psn = c.send_psn;
  qp.config = c;
  qp.send.configure(send);
  qp.receive.configure({c.receive_psn, config_.params.nack_once});
  qp.reset();
  arbiter_.add();
  return used_++;
}

QueuePair& RoceNicCore::make_queue_pair() {
  queue_pairs_.push_back(std::make_unique<QueuePair>(send_config_, dcqcn_));
  return *queue_pairs_.back();
}

void RoceNicCore::clear_queue_pairs() {
  reset();
  used_ = 0;
  index_of_.clear();
  arbiter_ = {};
  last_found_ = 0;
}

void RoceNicCore::post_write(unsigned index, const WriteRequest& request, Tick when) {
  if (index >= used_) throw std::out_of_range("queue pair " + std::to_string(index) + " of " + std::to_string(used_));
  QueuePair& qp = *queue_pairs_[index];
  if (!memory_.contains(request.local, request.data_bytes))
    throw std::invalid_argument("queue pair " + std::to_string(qp.config.number) + " is to send " +
                                std::to_string(request.data_bytes) + " B at " + std::to_string(request.local) +
                                ", which are outside of the host's memory");
  ++qp.outstanding;
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
  if (!timers_.empty()) t = std::min(t, timers_.front().when);
  return t;
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
    --queue_pairs_[c.queue_pair]->outstanding;
    completed(now, c.value);
    stop(now);
    listener_.completed(c.queue_pair, c.value, now);
  }
  for (; !posted_.empty() && posted_.front().when <= now; posted_.pop()) {
    const Posted& p = posted_.front();
    queue_pairs_[p.queue_pair]->send.post(p.request);
    offer(p.queue_pair);
  }
  settle_timers();
  while (!timers_.empty() && timers_.front().when <= now) time_out(timers_.front().queue_pair, now);
  if (wire_next() <= now) send(now);
}

std::vector<std::string> RoceNicCore::waiting() const {
  std::vector<std::string> lines;
  for (unsigned i = 0; i < queue_pairs(); ++i) {
    const QueuePair& qp = *queue_pairs_[i];
    std::string text = qp.send.waiting();
    if (text.empty() && qp.outstanding != 0) text = std::to_string(qp.outstanding) + " requests not complete";
    if (qp.receive.in_message())
      text += (text.empty() ? "" : "; ") + std::string("a message has arrived in part, PSN ") +
              std::to_string(qp.receive.expected()) + " is next";
    if (!text.empty()) lines.push_back("qp" + std::to_string(i) + ": " + text + waiting_since(qp.send.since()));
  }
  if (!frames_.empty()) lines.push_back(std::to_string(frames_.size()) + " frames have arrived");
  return lines;
}

void RoceNicCore::reset() {
  for (; !frames_.empty(); frames_.pop()) frames_.front().packet->release();
  for (; !written_.empty(); written_.pop()) written_.front().packet->release();
  posted_.clear(), arrivals_.clear(), completions_.clear(), timers_.clear();
  arbiter_.reset();
  for (auto& qp : queue_pairs_) qp->reset();
  held_ = false;
  held_until_ = never;
  counts_ = {};
  fed_ = 0;
  check_.reset();
}

void RoceNicCore::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add(prefix + "delivered", delivered, "packet that was expected next, when its data become visible",
                flow_bits<EthernetLink>, EthernetLink::opcode_names);
  directory.add(prefix + "datagrams", datagrams, "datagram, when it reaches the host's software", flow_bits<EthernetLink>,
                EthernetLink::opcode_names);
  directory.add_signal(prefix + "completed", completed, SignalKind::strobe, 32, "a request is complete (its number)");
  directory.add_signal(prefix + "arrived", arrived, SignalKind::strobe, 32, "a message is complete (its immediate)");
  directory.add_signal(prefix + "cnps_sent", cnps, SignalKind::strobe, 24, "a marked packet is answered by a CNP");
  directory.add_signal(prefix + "fcs_errors", fcs_errors, SignalKind::strobe, 24, "a frame is dropped: wrong FCS");
  directory.add_signal(prefix + "icrc_errors", icrc_errors, SignalKind::strobe, 24, "a packet is dropped: wrong ICRC");
  directory.add_signal(prefix + "malformed", malformed, SignalKind::strobe, 24,
                       "a frame is dropped: not for this host, of no connection, or invalid");
  directory.add(prefix + "fate", fate, "frame that is dropped");
  for (std::size_t i = 0; i < queue_pairs_.size(); ++i) {
    const std::string name = prefix + "qp" + std::to_string(i) + ".";
    queue_pairs_[i]->send.describe(directory, name);
    queue_pairs_[i]->receive.describe(directory, name);
    queue_pairs_[i]->rate.describe(directory, name);
  }
}

}  // namespace tributary
