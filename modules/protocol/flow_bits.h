#pragma once
/// flow_bits: width of the flow number in a protocol's packets.

#include <type_traits>

namespace tributary {

/// Number of bits of PacketView::slot that hold the flow number of a chunk (the protocol's `flow_bits`); 0 if its packets
/// have no flow. A directory of probes uses it as the width of a packet probe.
template <class Protocol, class = void>
inline constexpr unsigned flow_bits = 0;
template <class Protocol>
inline constexpr unsigned flow_bits<Protocol, std::void_t<decltype(Protocol::flow_bits)>> = Protocol::flow_bits;

}  // namespace tributary
