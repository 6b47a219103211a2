#include "modules/link/link_port.h"

namespace tributary {

LinkPort::LinkPort(const sc_core::sc_module_name& name, LinkPortHost& host, const Tick& now, unsigned index,
                   const LinkTransmitter::Config& config)
    : sc_module(name), host_(host), now_(now), index_(index), transmitter_(config) {
  out.bind(static_cast<LinkBackward&>(*this));
  in.bind(static_cast<LinkForward&>(*this));
}

void LinkPort::deliver(const LinkTransmitter::Sent& sent) {
  LinkPhase phase{LinkPhase::packet, sent.tail - sent.head};
  sc_core::sc_time delay = picosecond_ * static_cast<double>(sent.head - now_);
  out->nb_transport_fw(*sent.packet, phase, delay);
}

void LinkPort::return_credit(unsigned vc, unsigned flits, Tick when) {
  credit_token_.vc = static_cast<std::uint8_t>(vc);
  credit_token_.flits = static_cast<std::uint8_t>(flits);
  LinkPhase phase{LinkPhase::credit, 0};
  sc_core::sc_time delay = picosecond_ * static_cast<double>(when + transmitter_.latency() - now_);
  in->nb_transport_bw(credit_token_, phase, delay);
}

tlm::tlm_sync_enum LinkPort::nb_transport_fw(Packet& packet, LinkPhase& phase, sc_core::sc_time& delay) {
  const Tick head = kernel_time_.value() + delay.value();
  host_.on_packet(index_, &packet, head, head + phase.duration);
  return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum LinkPort::nb_transport_bw(Packet& token, LinkPhase&, sc_core::sc_time& delay) {
  host_.on_credit(index_, token.vc, token.flits, kernel_time_.value() + delay.value());
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
