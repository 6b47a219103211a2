#pragma once
/// chunk_bits: width of the number of a chunk in a protocol's packets.

#include <type_traits>

namespace tributary {

/// Number of bits of PacketView::slot that hold the number of a chunk (the protocol's `chunk_bits`); 0 if its packets
/// have none. A directory of probes uses it as the width of a packet probe.
template <class Protocol, class = void>
inline constexpr unsigned chunk_bits = 0;
template <class Protocol>
inline constexpr unsigned chunk_bits<Protocol, std::void_t<decltype(Protocol::chunk_bits)>> = Protocol::chunk_bits;

}  // namespace tributary
