#include "modules/link/link_port.h"

namespace tributary {

LinkPort::LinkPort(const sc_core::sc_module_name& name, LinkPortHost& host, const Tick& now, unsigned index,
                   const LinkTransmitter::Config& config)
    : sc_module(name), host_(host), now_(now), index_(index), transmitter_(config) {
  out.bind(static_cast<LinkBackward&>(*this));
  in.bind(static_cast<LinkForward&>(*this));
}

void LinkPort::start_of_simulation() {
  forward_ = out.operator->();
  backward_ = in.operator->();
}

void LinkPort::deliver(const LinkTransmitter::Sent& sent) {
  LinkPhase phase{LinkPhase::packet, sent.tail - sent.head, nullptr, 0};
  sc_core::sc_time delay = picosecond_ * static_cast<double>(sent.head - now_);
  forward_->nb_transport_fw(*sent.packet, phase, delay);
}

void LinkPort::return_credits(Tick first, const LinkCredit* credits, unsigned count) {
  LinkPhase phase{LinkPhase::credit, 0, credits, count};
  sc_core::sc_time delay = picosecond_ * static_cast<double>(first + transmitter_.latency() - now_);
  backward_->nb_transport_bw(credit_token_, phase, delay);
}

tlm::tlm_sync_enum LinkPort::nb_transport_fw(Packet& packet, LinkPhase& phase, sc_core::sc_time& delay) {
  const Tick head = kernel_time_.value() + delay.value();
  host_.on_packet(index_, &packet, head, head + phase.duration);
  return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum LinkPort::nb_transport_bw(Packet&, LinkPhase& phase, sc_core::sc_time& delay) {
  host_.on_credits(index_, kernel_time_.value() + delay.value(), phase.credits, phase.count);
  return tlm::TLM_ACCEPTED;
}

void LinkPort::b_transport(Packet&, sc_core::sc_time&) {
  SC_REPORT_ERROR("tributary/link", "b_transport has no meaning on a link; use nb_transport_fw");
}

void connect(LinkPort& a, LinkPort& b) {
  a.out.bind(b.in);
  b.out.bind(a.in);
}

}  // namespace tributary
