#pragma once
/// Requirements of a link on its protocol. A protocol is a struct of constants, types and one function:
///
///     struct Example {
///       static constexpr ProtocolId id = ProtocolId::network;  // ports of one id can be joined
///       static constexpr unsigned vcs = 2;                   // virtual channels of a link
///       static constexpr unsigned flit_bytes = 16;           // unit of buffers, queues and credits; 1: plain bytes
///       static constexpr unsigned header_bytes = 16;         // a packet may be routed once these have arrived
///       static constexpr unsigned max_payload_bytes = 128;   // payload of the largest packet
///       using Header = ExampleHeader;                        // stored in Packet, at most 32 bytes
///       using FlowControl = CreditFlowControl;               // modules/link/flow_control
///       static constexpr const char* const* opcode_names = names;  // by PacketView::opcode, ends with null; or null
///       static PacketView view(const ExampleHeader& header);
///     };
///
/// The links, ports and devices of a protocol are instantiated once, in a source of their own
/// (modules/link/nvlink_port.cpp).

#include <type_traits>
#include <utility>

#include "modules/packet/packet.h"

namespace tributary {

// Flow control of a link; declared here so that protocols can name it.
class CreditFlowControl;  ///< credits for buffer space at the far end: lossless
class LossyFlowControl;   ///< never waits: the far end has room or drops the packet
class PauseFlowControl;   ///< stops on request of the far end: lossless if it has enough headroom

/// Returns the bytes on the wire of the largest packet, in whole flits.
template <class Protocol>
constexpr unsigned max_packet_bytes() {
  return (Protocol::header_bytes + Protocol::max_payload_bytes + Protocol::flit_bytes - 1) / Protocol::flit_bytes *
         Protocol::flit_bytes;
}

template <class Protocol>
constexpr bool is_protocol() {
  using Header = typename Protocol::Header;
  static_assert(sizeof(Header) <= 32 && std::is_trivially_copyable_v<Header>, "a header has at most 32 plain bytes");
  static_assert(std::is_same_v<decltype(Protocol::id), const ProtocolId>);
  static_assert(std::is_same_v<decltype(Protocol::view(std::declval<const Header&>())), PacketView>,
                "observers read a PacketView");
  static_assert(Protocol::vcs >= 1 && Protocol::vcs <= 8 && Protocol::flit_bytes >= 1);
  static_assert(Protocol::header_bytes % Protocol::flit_bytes == 0, "a header has whole flits");
  static_assert(max_packet_bytes<Protocol>() <= 0xFFFF && max_packet_bytes<Protocol>() / Protocol::flit_bytes < 1u << 14);
  return true;
}

}  // namespace tributary
