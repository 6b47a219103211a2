#include "modules/link/link_port.h"

namespace tributary {

LinkPort::LinkPort(const sc_core::sc_module_name& name, LinkPortHost& host, const Tick& now, unsigned index,
                   const LinkTransmitter::Config& config)
    : sc_module(name), transmitter_(config), now_(now), index_(index), host_(host) {
  out.bind(static_cast<LinkBackward&>(*this));
  in.bind(static_cast<LinkForward&>(*this));
}

void LinkPort::start_of_simulation() {
  forward_ = out.operator->();
  backward_ = in.operator->();
}

void LinkPort::deliver(Tick first, const LinkArrival* packets, unsigned count, Tick until) {
  LinkTransfer transfer{packets, nullptr, count, until};
  LinkPhase phase = LinkPhase::packets;
  sc_core::sc_time delay = to_sc_time((count == 0 ? until : first) - now_);
  forward_->nb_transport_fw(transfer, phase, delay);
}

void LinkPort::return_credits(Tick first, const LinkCredit* credits, unsigned count, Tick until) {
  const Tick latency = transmitter_.latency();
  LinkTransfer transfer{nullptr, credits, count, until == 0 ? 0 : until + latency};
  LinkPhase phase = LinkPhase::credits;
  sc_core::sc_time delay = to_sc_time((count == 0 ? until : first) + latency - now_);
  backward_->nb_transport_bw(transfer, phase, delay);
}

tlm::tlm_sync_enum LinkPort::nb_transport_fw(LinkTransfer& transfer, LinkPhase&, sc_core::sc_time& delay) {
  host_.on_packets(index_, kernel_now() + delay.value(), transfer.packets, transfer.count, transfer.until);
  return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum LinkPort::nb_transport_bw(LinkTransfer& transfer, LinkPhase&, sc_core::sc_time& delay) {
  const Tick first = kernel_now() + delay.value();
  transmitter_.announce(first, transfer.credits, transfer.count);
  host_.on_credits(index_, first, transfer.credits, transfer.count, transfer.until);
  return tlm::TLM_ACCEPTED;
}

void LinkPort::b_transport(LinkTransfer&, sc_core::sc_time&) {
  SC_REPORT_ERROR("tributary/link", "b_transport has no meaning on a link; use nb_transport_fw");
}

void connect(LinkPort& a, LinkPort& b) {
  a.out.bind(b.in);
  b.out.bind(a.in);
}

}  // namespace tributary
