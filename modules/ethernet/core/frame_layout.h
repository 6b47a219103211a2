#pragma once
/// Constants in frames (docs/blocks/ethernet_frames.md).

#include <cstdint>

#include "modules/protocol/roce.h"

namespace tributary {

/// Opcodes of a BTH: reliable connection, and CNP. The opcodes of WRITEs are in the order of FrameKind.
struct BthOpcode {
  static constexpr unsigned write_first = 0x06, write_only_immediate = 0x0B, acknowledge = 0x11, cnp = 0x81;
};
/// Byte 1 of a BTH: migration state, pad count in bits 4 and 5, transport version in bits 0 to 3.
struct BthFlags {
  static constexpr unsigned migrated = 0x40, pad_shift = 4, pad_mask = 3, version_mask = 0x0F;
};
constexpr unsigned partition_key = 0xFFFF;      ///< the default partition
constexpr unsigned backward_congestion = 0x40;  ///< BECN: byte 4 of the BTH of a CNP

/// Highest byte of an AETH.
struct AethSyndrome {
  static constexpr unsigned ack = 0x1F;             ///< ACK, credits not counted
  static constexpr unsigned sequence_error = 0x60;  ///< NAK: PSN sequence error
  static constexpr unsigned kind_mask = 0xE0;       ///< 0: ACK, with a credit count
};

/// Shim of a virtual connection, in place of a BTH, 12 B: opcode 8 bits, flags 8 (pad count as in a BTH), ring 16, message
/// 32, offset in the message 16, rank 16. A notification continues with the fields that its connection does not determine:
/// address of the RETH 64 bits, 8 unused and queue pair 24, 8 unused and PSN 24.
struct VirtualShim {
  static constexpr unsigned aggregate = 1, notification = 2;
  static constexpr unsigned tagged = 1, from_above = 2;
  static constexpr unsigned bytes = EthernetFrame::bth, notification_bytes = EthernetFrame::reth;
};

/// Pause of IEEE 802.1Qbb, in a MAC control frame.
struct PauseFrame {
  static constexpr std::uint64_t group = 0x0180C2000001;
  static constexpr unsigned opcode = 0x0101, classes = 8;
};

/// Fields of an IPv4 header.
struct Ipv4 {
  static constexpr unsigned version = 0x45, do_not_fragment = 0x4000, hops = 64, udp = 17;
  /// Differentiated services code points of RoCE, as vendors preset them.
  static constexpr unsigned roce_class = 26, control_class = 48;
};

constexpr unsigned opcode_of(FrameKind kind) {
  if (kind == FrameKind::ack || kind == FrameKind::nack) return BthOpcode::acknowledge;
  return kind == FrameKind::cnp ? BthOpcode::cnp : BthOpcode::write_first + static_cast<unsigned>(kind);
}
static_assert(opcode_of(FrameKind::write_only_immediate) == BthOpcode::write_only_immediate);

constexpr bool is_virtual(FrameKind kind) { return kind == FrameKind::aggregate || kind == FrameKind::notification; }

}  // namespace tributary
