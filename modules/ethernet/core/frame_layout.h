#pragma once
/// Numbers that stand in frames (docs/blocks/ethernet_frames.md).

#include <cstdint>

#include "modules/protocol/roce.h"

namespace tributary {

/// Of a BTH: reliable connection, and CNP. Those of WRITEs are in the order of FrameKind.
struct BthOpcode {
  static constexpr unsigned write_first = 0x06, write_only_immediate = 0x0B, acknowledge = 0x11, cnp = 0x81;
};
/// Byte 1 of a BTH: migration state, pad count in bits 4 and 5, transport version in the lowest four.
struct BthFlags {
  static constexpr unsigned migrated = 0x40, pad_shift = 4, pad_mask = 3, version_mask = 0x0F;
};
constexpr unsigned partition_key = 0xFFFF;      ///< the default partition
constexpr unsigned backward_congestion = 0x40;  ///< byte 4 of the BTH of a CNP: BECN

/// Highest byte of an AETH.
struct AethSyndrome {
  static constexpr unsigned ack = 0x1F;             ///< no credits are counted
  static constexpr unsigned sequence_error = 0x60;  ///< NAK: PSN sequence error
  static constexpr unsigned kind_mask = 0xE0;       ///< 0: ACK, with a number of credits
};

/// Shim of a virtual connection in place of a BTH, 12 B: opcode 8, flags 8 (pad count as in a BTH), ring 16, message 32,
/// offset in the message 16, rank 16. A notification goes on with what its connection cannot tell: address 64 of the RETH, 8
/// and queue pair 24, 8 and PSN 24.
struct VirtualShim {
  static constexpr unsigned aggregate = 1, notification = 2;
  static constexpr unsigned tagged = 1, from_above = 2;
  static constexpr unsigned bytes = EthernetFrame::bth, notification_bytes = EthernetFrame::reth;
};

/// IEEE 802.1Qbb, in a MAC control frame.
struct PauseFrame {
  static constexpr std::uint64_t group = 0x0180C2000001;
  static constexpr unsigned opcode = 0x0101, classes = 8;
};

/// Of IPv4.
struct Ipv4 {
  static constexpr unsigned version = 0x45, do_not_fragment = 0x4000, hops = 64, udp = 17;
  /// Differentiated services: RoCE as its vendors preset it.
  static constexpr unsigned roce_class = 26, control_class = 48;
};

constexpr unsigned opcode_of(FrameKind kind) {
  if (kind == FrameKind::ack || kind == FrameKind::nack) return BthOpcode::acknowledge;
  return kind == FrameKind::cnp ? BthOpcode::cnp : BthOpcode::write_first + static_cast<unsigned>(kind);
}
static_assert(opcode_of(FrameKind::write_only_immediate) == BthOpcode::write_only_immediate);

constexpr bool is_virtual(FrameKind kind) { return kind == FrameKind::aggregate || kind == FrameKind::notification; }

}  // namespace tributary
