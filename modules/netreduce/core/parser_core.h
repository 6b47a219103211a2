#pragma once
/// classify: the class of a frame by its header and checksums (Liu et al., 4: Parser).

#include "modules/protocol/roce.h"

namespace tributary {

enum class FrameClass : std::uint8_t {
  bypass,         ///< returned unchanged to the switch: ACKs, congestion notifications, datagrams
  gradient,       ///< RDMA WRITE of a host
  aggregate,      ///< from an accelerator below: a sum of its ranks
  from_above,     ///< from the accelerator above: a result for the hosts here
  notification,   ///< header of a first packet, for the leaf of its destination
  damaged_frame,  ///< FCS wrong: dropped by the MAC
  damaged_roce,   ///< ICRC wrong
  unknown,
};

/// The FCS covers all frames, the ICRC only those of RoCE, so not datagrams.
constexpr FrameClass classify(FrameKind kind, bool from_above, unsigned damage) {
  if ((damage & fcs_wrong) != 0) return FrameClass::damaged_frame;
  if (kind == FrameKind::datagram) return FrameClass::bypass;
  if ((damage & icrc_wrong) != 0) return FrameClass::damaged_roce;
  if (is_write(kind)) return FrameClass::gradient;
  switch (kind) {
    case FrameKind::ack:
    case FrameKind::nack:
    case FrameKind::cnp:
      return FrameClass::bypass;
    case FrameKind::aggregate:
      return from_above ? FrameClass::from_above : FrameClass::aggregate;
    case FrameKind::notification:
      return FrameClass::notification;
    default:
      return FrameClass::unknown;
  }
}

}  // namespace tributary
