#pragma once
/// BasicLinkPort: definitions that are not inline, for the one source that instantiates it for a protocol.

#include <stdexcept>
#include <type_traits>

#include "modules/link/core/link_transmitter_impl.h"
#include "modules/link/link_port.h"
#include "modules/packet/payload_views.h"

namespace tributary {

/// True for protocols whose packets may view the sender's memory instead of carrying their data.
template <class Header, class = void>
struct HasPayloadView : std::false_type {};
template <class Header>
struct HasPayloadView<Header, std::void_t<decltype(Header::payload_view)>> : std::true_type {};

template <class Protocol>
BasicLinkPort<Protocol>::BasicLinkPort(const sc_core::sc_module_name& name, LinkPortListener& listener, const Tick& now,
                                       unsigned index, const typename LinkTransmitter::Config& config)
    : sc_module(name), transmitter_(config), now_(now), index_(index), listener_(listener) {
  out.bind(static_cast<LinkBackward&>(*this));
  in.bind(static_cast<LinkForward&>(*this));
}

template <class Protocol>
void BasicLinkPort<Protocol>::start_of_simulation() {
  forward_ = out.operator->();
  backward_ = in.operator->();
}

template <class Protocol>
void BasicLinkPort<Protocol>::deliver(Tick first, const LinkArrival* packets, unsigned count, Tick safe_until) {
  if (__builtin_expect(crossing_ != nullptr, 0)) return cross(first, packets, count, safe_until);
  LinkTransfer transfer{packets, nullptr, count, safe_until};
  LinkPhase phase = LinkPhase::packets;
  sc_core::sc_time delay = to_sc_time((count == 0 ? safe_until : first) - now_);
  forward_->nb_transport_fw(transfer, phase, delay);
}

/// Packets leave their lane: a view of the sender's memory ends here, because only the sender's thread may read it.
template <class Protocol>
void BasicLinkPort<Protocol>::cross(Tick first, const LinkArrival* packets, unsigned count, Tick safe_until) {
  using Header = typename Protocol::Header;
  LaneMailbox& mailbox = *crossing_->mailbox;
  mailbox.begin_packets(*forward_, *crossing_->pool, first, count, safe_until, crossing_->number);
  for (const LinkArrival* a = packets; a != packets + count; ++a) {
    if constexpr (HasPayloadView<Header>::value) {
      const Header& header = a->packet->template header<Header>();
      if (const PayloadViews::Id view = header.payload_view; view != PayloadViews::none) {
        Packet& copy = mailbox.add(*a, crossing_->views->data(view, header.address));
        copy.template header<Header>().payload_view = PayloadViews::none;
        crossing_->views->arrived(view);
        a->packet->release();
        continue;
      }
    }
    mailbox.add(*a, a->packet->payload);
    a->packet->release();
  }
}

template <class Protocol>
void BasicLinkPort<Protocol>::return_credits(Tick first, const LinkCredit* credits, unsigned count, Tick safe_until) {
  const Tick latency = transmitter_.latency();
  if (__builtin_expect(crossing_ != nullptr, 0))
    return crossing_->mailbox->post_credits(*backward_, first + latency, credits, count,
                                            safe_until == 0 ? 0 : safe_until + latency, crossing_->number);
  LinkTransfer transfer{nullptr, credits, count, safe_until == 0 ? 0 : safe_until + latency};
  LinkPhase phase = LinkPhase::credits;
  sc_core::sc_time delay = to_sc_time((count == 0 ? safe_until : first) + latency - now_);
  backward_->nb_transport_bw(transfer, phase, delay);
}

template <class Protocol>
tlm::tlm_sync_enum BasicLinkPort<Protocol>::nb_transport_fw(LinkTransfer& transfer, LinkPhase&, sc_core::sc_time& delay) {
  const Tick first = kernel_now() + delay.value();
  if (__builtin_expect(arrived.observed(), 0)) show_arrivals(first, transfer);
  listener_.on_packets(index_, first, transfer.packets, transfer.count, transfer.safe_until);
  return tlm::TLM_ACCEPTED;
}

template <class Protocol>
void BasicLinkPort<Protocol>::show_arrivals(Tick first, const LinkTransfer& transfer) const {
  for (const LinkArrival* a = transfer.packets; a != transfer.packets + transfer.count; ++a)
    arrived(first + a->after, view_of<Protocol>(*a->packet));
}

template <class Protocol>
tlm::tlm_sync_enum BasicLinkPort<Protocol>::nb_transport_bw(LinkTransfer& transfer, LinkPhase&, sc_core::sc_time& delay) {
  const Tick first = kernel_now() + delay.value();
  transmitter_.show_in_flight(first, transfer.credits, transfer.count);
  listener_.on_credits(index_, first, transfer.credits, transfer.count, transfer.safe_until);
  return tlm::TLM_ACCEPTED;
}

template <class Protocol>
void BasicLinkPort<Protocol>::b_transport(LinkTransfer&, sc_core::sc_time&) {
  throw std::logic_error("a link does not implement b_transport (legal: nb_transport_fw)");
}

}  // namespace tributary
