#include "modules/link/link_port.h"

namespace tributary {

template <unsigned VCs>
BasicLinkPort<VCs>::BasicLinkPort(const sc_core::sc_module_name& name, LinkPortListener& host, const Tick& now,
                                  unsigned index, const typename LinkTransmitter::Config& config)
    : sc_module(name), transmitter_(config), now_(now), index_(index), host_(host) {
  out.bind(static_cast<LinkBackward&>(*this));
  in.bind(static_cast<LinkForward&>(*this));
}

template <unsigned VCs>
void BasicLinkPort<VCs>::start_of_simulation() {
  forward_ = out.operator->();
  backward_ = in.operator->();
}

template <unsigned VCs>
void BasicLinkPort<VCs>::deliver(Tick first, const LinkArrival* packets, unsigned count, Tick until) {
  LinkTransfer transfer{packets, nullptr, count, until};
  LinkPhase phase = LinkPhase::packets;
  sc_core::sc_time delay = to_sc_time((count == 0 ? until : first) - now_);
  forward_->nb_transport_fw(transfer, phase, delay);
}

template <unsigned VCs>
void BasicLinkPort<VCs>::return_credits(Tick first, const LinkCredit* credits, unsigned count, Tick until) {
  const Tick latency = transmitter_.latency();
  LinkTransfer transfer{nullptr, credits, count, until == 0 ? 0 : until + latency};
  LinkPhase phase = LinkPhase::credits;
  sc_core::sc_time delay = to_sc_time((count == 0 ? until : first) + latency - now_);
  backward_->nb_transport_bw(transfer, phase, delay);
}

template <unsigned VCs>
tlm::tlm_sync_enum BasicLinkPort<VCs>::nb_transport_fw(LinkTransfer& transfer, LinkPhase&, sc_core::sc_time& delay) {
  const Tick first = kernel_now() + delay.value();
  if (__builtin_expect(arrived.observed(), 0)) show_arrivals(first, transfer);
  host_.on_packets(index_, first, transfer.packets, transfer.count, transfer.until);
  return tlm::TLM_ACCEPTED;
}

template <unsigned VCs>
void BasicLinkPort<VCs>::show_arrivals(Tick first, const LinkTransfer& transfer) const {
  for (const LinkArrival* a = transfer.packets; a != transfer.packets + transfer.count; ++a)
    arrived(first + a->after, *a->packet);
}

template <unsigned VCs>
tlm::tlm_sync_enum BasicLinkPort<VCs>::nb_transport_bw(LinkTransfer& transfer, LinkPhase&, sc_core::sc_time& delay) {
  const Tick first = kernel_now() + delay.value();
  transmitter_.announce(first, transfer.credits, transfer.count);
  host_.on_credits(index_, first, transfer.credits, transfer.count, transfer.until);
  return tlm::TLM_ACCEPTED;
}

template <unsigned VCs>
void BasicLinkPort<VCs>::b_transport(LinkTransfer&, sc_core::sc_time&) {
  SC_REPORT_ERROR("tributary/link", "b_transport has no meaning on a link; use nb_transport_fw");
}

template class BasicLinkPort<2>;
template class BasicLinkPort<4>;

}  // namespace tributary
