#include "testbench/test/harness/test_protocols.h"

#include <algorithm>

#include "modules/link/link_port_impl.h"
#include "modules/timing/windowed_device_impl.h"

namespace tributary {

template <class Protocol>
FrameSource<Protocol>::FrameSource(const sc_core::sc_module_name& name, const typename LinkTransmitter::Config& config)
    : Base(name, 0, config.link),
      port("port", static_cast<LinkPortListener&>(*this), this->activation(), 0, config),
      links_(this->set_ports({&port}), static_cast<LinkOutput&>(*this)) {}

template <class Protocol>
std::vector<std::string> FrameSource<Protocol>::waiting() const {
  const std::string line = links_[0].waiting();
  return line.empty() ? std::vector<std::string>() : std::vector{line};
}

template <class Protocol>
void FrameSource<Protocol>::reset() {
  links_.reset();
  this->reset_links();
}

template <class Protocol>
void FrameSource<Protocol>::send(Packet* packet, Tick ready) {
  links_[0].push(packet, 0, flits_of<Protocol>(*packet), ready, ready);
  links_.sending(0);
  this->wake(ready);
}

template <class Protocol>
Tick FrameSource<Protocol>::safe_horizon(Tick now, Tick packets, const Tick* credits) {
  links_.decide(now, credits);
  return packets;
}

template <class Protocol>
Tick FrameSource<Protocol>::run_core(Inbox& inbox, Tick horizon) {
  inbox.take_packets(horizon, [this](unsigned, Packet* packet, Tick, Tick tail) {
    const auto& h = packet->header<FrameHeader>();
    arrived.push_back({h.number, h.source, tail});
    if constexpr (Protocol::FlowControl::counts_flits) links_.free(0, tail, 0, flits_of<Protocol>(*packet));
    packet->release();
  });
  return links_.finish(
      horizon, [this](const typename LinkTransmitter::Sent& s) { starts.push_back(s.head - links_[0].head_latency()); });
}

template <class Protocol>
FrameSink<Protocol>::FrameSink(const sc_core::sc_module_name& name, const typename LinkTransmitter::Config& config,
                               Tick delay, Bandwidth rate, const ReceiveBuffer::Config& receive)
    : Base(name, delay, config.link),
      port("port", static_cast<LinkPortListener&>(*this), this->activation(), 0, config),
      buffer(receive),
      links_(this->set_ports({&port}), static_cast<LinkOutput&>(*this)),
      delay_(delay),
      line_(rate, Protocol::flit_bytes) {}

template <class Protocol>
Tick FrameSink<Protocol>::safe_horizon(Tick now, Tick packets, const Tick* credits) {
  links_.decide(now, credits);
  return packets;
}

template <class Protocol>
Tick FrameSink<Protocol>::run_core(Inbox& inbox, Tick horizon) {
  inbox.take_packets(horizon,
                     [this](unsigned, Packet* packet, Tick head, Tick tail) { coming_.push(head + delay_, tail, packet); });
  while (next() <= horizon) step(next());
  return std::min(next(), links_.finish(horizon, [](const typename LinkTransmitter::Sent&) {}));
}

template <class Protocol>
std::vector<std::string> FrameSink<Protocol>::waiting() const {
  return held_.empty() ? std::vector<std::string>() : std::vector{std::to_string(held_.size()) + " frames"};
}

template <class Protocol>
void FrameSink<Protocol>::reset() {
  for (RingQueue<Arrival>* q : {&coming_, &held_})
    for (; !q->empty(); q->pop()) q->front().packet->release();
  buffer.reset();
  links_.reset();
  this->reset_links();
  line_.reset();
  served_ = never;
}

template <class Protocol>
Tick FrameSink<Protocol>::next() const {
  return std::min({coming_.empty() ? never : coming_.front().when, served_, buffer.refresh_at()});
}

template <class Protocol>
void FrameSink<Protocol>::step(Tick now) {
  if (served_ == now) return serve(now);
  if (buffer.refresh_at() == now) return say(now, buffer.refresh(now));
  const Arrival arrival = coming_.front();
  coming_.pop();
  take(arrival);
}

template <class Protocol>
void FrameSink<Protocol>::take(const Arrival& arrival) {
  const unsigned flits = flits_of<Protocol>(*arrival.packet);
  ++received, received_bytes += arrival.packet->wire_bytes;
  const ReceiveBuffer::Answer answer = buffer.arrive(arrival.when, flits);
  if (!answer.taken) return arrival.packet->release();
  held_.push(arrival);
  if (served_ == never) served_ = line_.serve(std::max(arrival.when, line_.free_at()), flits, arrival.tail);
  if (answer.pause) say(arrival.when, *answer.pause);
}

template <class Protocol>
void FrameSink<Protocol>::serve(Tick now) {
  Packet* const packet = held_.front().packet;
  held_.pop();
  passed.push_back({packet->header<FrameHeader>().number, packet->wire_bytes, now});
  const std::optional<unsigned> pause = buffer.leave(now, flits_of<Protocol>(*packet));
  packet->release();
  served_ = never;
  if (!held_.empty()) served_ = line_.serve(now, flits_of<Protocol>(*held_.front().packet), held_.front().tail);
  if (pause) say(now, *pause);
}

template <class Protocol>
void FrameSink<Protocol>::say(Tick now, unsigned quanta) {
  pauses.push_back(now);
  links_.free(0, now, 0, quanta);
}

FrameHub::FrameHub(const sc_core::sc_module_name& name, const std::vector<LinkTransmitter::Config>& links, Tick delay)
    : BasicWindowedDevice(name, delay, links.front().link), delay_(delay) {
  std::vector<LinkPort*> all;
  for (unsigned p = 0; p < links.size(); ++p) {
    const std::string port = "port" + std::to_string(p);
    ports_.push_back(
        std::make_unique<LinkPort>(port.c_str(), static_cast<LinkPortListener&>(*this), activation(), p, links[p]));
    all.push_back(ports_.back().get());
  }
  links_ = std::make_unique<BasicOutgoingLinks<CreditedLink>>(set_ports(all), static_cast<LinkOutput&>(*this));
}

Tick FrameHub::safe_horizon(Tick now, Tick packets, const Tick* credits) {
  links_->decide(now, credits);
  return packets;
}

Tick FrameHub::run_core(Inbox& inbox, Tick horizon) {
  inbox.take_packets(horizon, [this](unsigned port, Packet* packet, Tick head, Tick tail) {
    const unsigned flits = flits_of<CreditedLink>(*packet), destination = packet->header<FrameHeader>().destination;
    const unsigned output = output_of.empty() ? destination : output_of.at(destination);
    links_->free(port, tail + delay_, 0, flits);
    (*links_)[output].push(packet, 0, flits, head + delay_, tail + delay_);
    links_->sending(output);
  });
  return links_->finish(horizon, [](const LinkTransmitter::Sent&) {});
}

std::vector<std::string> FrameHub::waiting() const {
  std::vector<std::string> lines;
  for (unsigned p = 0; p < links_->ports(); ++p)
    if (const std::string line = (*links_)[p].waiting(); !line.empty()) lines.push_back(line);
  return lines;
}

void FrameHub::reset() {
  links_->reset();
  reset_links();
}

template class BasicLinkTransmitter<LossyLink>;
template class BasicLinkPort<LossyLink>;
template class BasicWindowedDevice<LossyLink>;
template class FrameSource<LossyLink>;
template class FrameSink<LossyLink>;
template class BasicLinkTransmitter<CreditedLink>;
template class BasicLinkPort<CreditedLink>;
template class BasicWindowedDevice<CreditedLink>;
template class FrameSource<CreditedLink>;
template class BasicLinkTransmitter<PausedLink>;
template class BasicLinkPort<PausedLink>;
template class BasicWindowedDevice<PausedLink>;
template class FrameSource<PausedLink>;
template class FrameSink<PausedLink>;

}  // namespace tributary
