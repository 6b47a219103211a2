#include "modules/ethernet_switch/core/ethernet_switch_core.h"

#include <algorithm>
#include <stdexcept>

namespace tributary {
namespace {

constexpr const char* pause_names[] = {"normal", "paused", "headroom", nullptr};

SharedBuffer::Config buffer_of(const EthernetSwitchConfig& config) {
  if (config.rates.size() > max_ethernet_ports)
    throw std::invalid_argument("a switch has " + std::to_string(max_ethernet_ports) + " ports at most, not " +
                                std::to_string(config.rates.size()));
  SharedBuffer::Config buffer = config.buffer;
  buffer.ports = static_cast<unsigned>(config.rates.size());
  buffer.lossless = config.lossless;
  return buffer;
}

PfcController::Config pfc_of(const EthernetSwitchConfig& config) {
  PfcController::Config pfc = config.pfc;
  if (pfc.quantum.size() != config.rates.size() && config.lossless != 0)
    throw std::invalid_argument("each port needs the quantum of its pauses");
  pfc.quantum.resize(config.rates.size());
  return pfc;
}

// Bytes of a frame in the buffer: without preamble and gap.
unsigned bytes_of(const Packet& frame) { return frame.wire_bytes - EthernetFrame::preamble - EthernetFrame::gap; }

}  // namespace

EthernetSwitchCore::EthernetSwitchCore(const EthernetSwitchConfig& config, EthernetLinks& links, PacketPool& pool,
                                       AccessControl& access)
    : config_(config),
      links_(links),
      pool_(pool),
      access_(access),
      buffer_(buffer_of(config)),
      ecn_(config.ecn),
      pfc_(pfc_of(config), buffer_),
      arrivals_(config.rates.size()),
      routed_(config.rates.size()),
      queued_(config.rates.size() * classes),
      next_(config.rates.size(), never),
      frames_(config.rates.size()),
      states_(config.rates.size() * classes) {}

void EthernetSwitchCore::accept(unsigned port, Packet* frame, Tick head, Tick tail) {
  if (roce(*frame).kind == FrameKind::pause) return on_pause_frame(port, frame, tail);
  ++counters_.received;
  RingQueue<Arrival>& queue = arrivals_[port];
  const bool first = queue.empty();
  const Arrival& a = queue.push(head, tail, frame);
  if (first) events_.set(port, due(port, a));
}

// A pause takes effect after the reaction time of the other end of the link that it arrives on: this switch.
void EthernetSwitchCore::on_pause_frame(unsigned port, Packet* frame, Tick tail) {
  const unsigned traffic_class = roce(*frame).extra >> 16 & 0xFFu, quanta = roce(*frame).extra & 0xFFFFu;
  if ((frame->damage & fcs_wrong) != 0) {
    ++counters_.fcs_errors;
  } else if (config_.lossless != 0 && traffic_class < classes) {
    ++counters_.pauses_received;
    links_.pause(port, traffic_class, quanta, tail);
    if (next_[port] != never) next_[port] = std::min(next_[port], tail);  // frames may leave earlier than was known
    if (pfc_.active()) departures_.set(port, next_[port]);
  }
  frame->release();
}

Tick EthernetSwitchCore::run(Tick horizon, bool safe_times) {
  for (;;) {
    const Tick event = events_.next(), refresh = pfc_.next(), departure = pfc_.active() ? departures_.next() : never;
    const Tick now = std::min({event, refresh, departure});
    if (now > horizon || now == never) break;
    if (event == now) {
      const unsigned slot = events_.next_slot();
      if (slot < slots)
        process(slot, now);
      else
        forward_first(slot - slots);
    } else if (refresh == now) {
      pfc_.refresh(now, [&](unsigned input, unsigned c) { send_pause(input, c, pfc_.quanta(), now); });
    } else {
      const unsigned output = departures_.next_slot();
      next_[output] = links_.run(output, now, [this](unsigned port, const EthernetLinks::Sent& s) { sent(port, s); });
      departures_.set(output, next_[output]);
    }
  }
  const Tick next =
      links_.finish(horizon, safe_times, [this](unsigned port, const EthernetLinks::Sent& s) { sent(port, s); });
  return std::min({next, events_.next(), pfc_.next()});
}

// ---- path of a frame

void EthernetSwitchCore::process(unsigned input, Tick now) {
  RingQueue<Arrival>& queue = arrivals_[input];
  const Arrival a = queue.front();
  queue.pop();
  events_.set(input, queue.empty() ? never : due(input, queue.front()));
  if (!config_.cut_through && (a.frame->damage & fcs_wrong) != 0)
    return drop(input, a.frame, now, counters_.fcs_errors, fcs_errors_);

  AccessTransaction t;
  t.frame = a.frame;
  t.port = input;
  t.now = now;
  const Tick extra = access_.classify(t);
  const RoceHeader& header = roce(*a.frame);
  const bool redirected = t.redirect != AccessTransaction::none;
  unsigned output = redirected ? t.redirect : config_.routes.port(header.destination, header.udp_port);
  if (__builtin_expect(config_.router != nullptr, 0) && !redirected)
    output = config_.router->choose(
        {input, header.destination, false, header.udp_port, config_.routes.ports(header.destination), output});
  if (output >= ports())
    throw std::logic_error((redirected ? "access_list breaks the rule `answer`: no output port " : "no output port ") +
                           std::to_string(output) + "; legal: below " + std::to_string(ports()));
  counters_.redirected += redirected;

  Routed frame{now + extra, a.tail + latency(input) + extra, a.frame, static_cast<std::uint8_t>(output), false};
  frame.stored = !config_.cut_through || config_.rates[input] != config_.rates[output];
  if (frame.stored) frame.ready = std::max(frame.ready, frame.tail);
  RingQueue<Routed>& after = routed_[input];
  if (after.empty() && frame.ready == now) return forward(input, frame);
  if (!after.empty()) frame.ready = std::max(frame.ready, after[after.size() - 1].ready);
  if (after.empty()) events_.set(slots + input, frame.ready);
  after.push(frame);
}

void EthernetSwitchCore::forward_first(unsigned input) {
  RingQueue<Routed>& queue = routed_[input];
  const Routed frame = queue.front();
  queue.pop();
  events_.set(slots + input, queue.empty() ? never : queue.front().ready);
  forward(input, frame);
}

void EthernetSwitchCore::forward(unsigned input, const Routed& frame) {
  if (frame.stored && (frame.frame->damage & fcs_wrong) != 0)
    return drop(input, frame.frame, frame.ready, counters_.fcs_errors, fcs_errors_);
  enqueue(input, frame.output, frame.frame, frame.ready, std::max(frame.ready, frame.tail));
}

void EthernetSwitchCore::enqueue(unsigned input, unsigned output, Packet* frame, Tick now, Tick tail) {
  if (!pfc_.active() && !undisturbed(input, output, *frame)) {
    update(output, now - 1);
    if (!undisturbed(input, output, *frame))
      for (unsigned p = 0; p < ports(); ++p) update(p, now - 1);
  }
  const unsigned c = frame->vc, bytes = bytes_of(*frame);
  const std::uint64_t number = frames_[output]++;
  const SharedBuffer::Place place = buffer_.place(input, output, c, bytes);
  if (place == SharedBuffer::Place::none) {
    ++counters_.dropped_of[c];
    drop(output, frame, now, counters_.dropped, dropped_);
  } else {
    if (roce(*frame).ecn == static_cast<unsigned>(Ecn::capable) && ecn_.marks(buffer_.queue(output, c), output, number)) {
      roce(*frame).ecn = static_cast<unsigned>(Ecn::congested) & 3u;
      ++counters_.marked;
      marked_(now, output);
    }
    buffer_.put(input, output, c, bytes, place);
    used_(now, bytes);
    queued_[output * classes + c].push(frame, static_cast<std::uint8_t>(input));
    ++counters_.forwarded;
    send(output, frame, now, tail);
  }
  if (!buffer_.lossless(c)) return;
  pause(input, c, place == SharedBuffer::Place::none, now);
  show_state(input, c, now);
}

void EthernetSwitchCore::drop(unsigned port, Packet* frame, Tick now, std::uint64_t& count, const SignalProbe& probe) {
  ++count;
  probe(now, port);
  show_fate<EthernetLink>(fate_, now, *frame, &probe == &dropped_ ? "dropped: buffer full" : "dropped: its FCS is wrong");
  frame->release();
}

// ---- departures

bool EthernetSwitchCore::undisturbed(unsigned input, unsigned output, const Packet& frame) const {
  return ecn_.below(buffer_.queue(output, frame.vc)) && buffer_.undisturbed(input, output, frame.vc, bytes_of(frame));
}

// Accounts for the departures of an output up to and including `until`.
void EthernetSwitchCore::update(unsigned output, Tick until) {
  if (next_[output] > until) return;
  next_[output] = links_.run(output, until, [this](unsigned port, const EthernetLinks::Sent& s) { sent(port, s); });
}

void EthernetSwitchCore::sent(unsigned output, const EthernetLinks::Sent& s) {
  const unsigned c = s.packet->vc;
  RingQueue<Queued>& queue = queued_[output * classes + c];
  if (queue.empty() || queue.front().frame != s.packet) return;
  const unsigned input = queue.front().input, bytes = bytes_of(*s.packet);
  queue.pop();
  const Tick start = s.head - links_[output].head_latency();
  buffer_.take(input, output, c, bytes);
  used_(start, minus(bytes));
  ++counters_.sent;
  if (!buffer_.lossless(c)) return;
  if (pfc_.departed(input, c)) {
    ++counters_.resumes_sent;
    resumed_(start + 1, input);
    send_pause(input, c, 0, start + 1);
  }
  show_state(input, c, start + 1);
}

void EthernetSwitchCore::send(unsigned port, Packet* frame, Tick ready, Tick tail) {
  links_.push(port, frame, frame->vc, ready, tail);
  next_[port] = std::min(next_[port], ready);
  if (pfc_.active()) departures_.advance(port, ready);
}

// ---- pauses

// From the first pause on, every departure is an event, because it may end a pause.
void EthernetSwitchCore::pause(unsigned input, unsigned traffic_class, bool refused, Tick now) {
  const bool first = !pfc_.active();
  if (!pfc_.arrived(input, traffic_class, refused, now)) return;
  for (unsigned p = 0; p < ports() && first; ++p) departures_.set(p, next_[p]);
  ++counters_.pauses_sent;
  paused_(now, input);
  send_pause(input, traffic_class, pfc_.quanta(), now);
}

void EthernetSwitchCore::send_pause(unsigned port, unsigned traffic_class, unsigned quanta, Tick now) {
  Packet* const frame = make_frame(pool_, FrameKind::pause, 0, false);
  frame->born = now;
  frame->vc = control_class;
  roce(*frame).extra = traffic_class << 16 | quanta;
  send(port, frame, now, now);
}

void EthernetSwitchCore::show_state(unsigned input, unsigned traffic_class, Tick now) {
  const SignalProbe& probe = states_[input * classes + traffic_class];
  if (probe.observed()) probe(now, static_cast<std::uint64_t>(pfc_.state(input, traffic_class)));
}

// ---- the whole switch

bool EthernetSwitchCore::quiescent() const {
  const auto empty = [](const auto& queue) { return queue.empty(); };
  return buffer_.used() == 0 && !pfc_.active() && std::all_of(arrivals_.begin(), arrivals_.end(), empty) &&
         std::all_of(routed_.begin(), routed_.end(), empty);
}

std::vector<std::string> EthernetSwitchCore::waiting() const {
  std::vector<std::string> lines = pfc_.waiting();
  for (unsigned p = 0; p < ports(); ++p)
    if (const unsigned frames = arrivals_[p].size() + routed_[p].size(); frames != 0)
      lines.push_back("port" + std::to_string(p) + ": " + std::to_string(frames) + " frames in transit");
  return lines;
}

void EthernetSwitchCore::reset() {
  for (RingQueue<Arrival>& q : arrivals_)
    for (; !q.empty(); q.pop()) q.front().frame->release();
  for (RingQueue<Routed>& q : routed_)
    for (; !q.empty(); q.pop()) q.front().frame->release();
  for (RingQueue<Queued>& q : queued_) q.clear();
  buffer_.reset();
  pfc_.reset();
  std::fill(next_.begin(), next_.end(), never);
  std::fill(frames_.begin(), frames_.end(), 0);
  events_.clear();
  departures_.clear();
  counters_ = {};
}

void EthernetSwitchCore::describe(ProbeDirectory& directory, const std::string& name) {
  directory.add_signal(name + ".buffer.used", used_, SignalKind::delta, 32, "bytes of frames in the shared buffer");
  directory.add_signal(name + ".drops", dropped_, SignalKind::strobe, 8, "a frame is dropped: buffer full (its output)");
  directory.add_signal(name + ".fcs_errors", fcs_errors_, SignalKind::strobe, 8,
                       "a frame is dropped: wrong FCS (its input)");
  directory.add_signal(name + ".ecn_marks", marked_, SignalKind::strobe, 8, "a frame is marked: congestion (its output)");
  directory.add(name + ".fate", fate_, "frame that is dropped");
  directory.add_signal(name + ".pauses", paused_, SignalKind::strobe, 8,
                       "an input has filled its share of the buffer and is paused");
  directory.add_signal(name + ".resumes", resumed_, SignalKind::strobe, 8, "an input resumes");
  for (unsigned p = 0; p < ports(); ++p)
    for (unsigned c = 0; c < classes; ++c)
      if (buffer_.lossless(c))
        directory.add_signal(name + ".port" + std::to_string(p) + ".pfc.vc" + std::to_string(c), states_[p * classes + c],
                             SignalKind::level, 2, "0 normal, 1 paused, 2 in its headroom", pause_names);
}

}  // namespace tributary
