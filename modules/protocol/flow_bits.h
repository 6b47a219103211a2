#pragma once

#include <type_traits>

namespace tributary {

/// Bits of PacketView::slot that name the flow of a packet's chunk: a protocol's own `flow_bits`. 0: its packets have no
/// flow. A directory of probes gives it as the width of a probe of packets.
template <class Protocol, class = void>
inline constexpr unsigned flow_bits = 0;
template <class Protocol>
inline constexpr unsigned flow_bits<Protocol, std::void_t<decltype(Protocol::flow_bits)>> = Protocol::flow_bits;

}  // namespace tributary
