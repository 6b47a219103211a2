#pragma once
/// Headers of packets of SwitchML and ATP (docs/systems/netreduce.md#baselines).

#include <cstddef>
#include <cstdint>

#include "modules/packet/packet.h"
#include "modules/protocol/roce.h"

namespace tributary {

enum class AggregationScheme : std::uint8_t { switchml, switchml_rdma, atp };

/// Bytes before the values: a frame of SwitchML has 183 B for 128 B of values, a frame of ATP 324 B for 256 B. A WRITE of
/// SwitchML-RDMA has all fields in RETH and immediate.
constexpr unsigned update_header_bytes(AggregationScheme scheme) {
  return scheme == AggregationScheme::switchml ? 9 : scheme == AggregationScheme::atp ? 22 : 0;
}
constexpr FrameKind update_frame_kind(AggregationScheme scheme) {
  return scheme == AggregationScheme::switchml_rdma ? FrameKind::write_only_immediate : FrameKind::datagram;
}
constexpr unsigned update_class(AggregationScheme scheme) {
  return scheme == AggregationScheme::switchml_rdma ? roce_class : datagram_class;
}
static_assert(EthernetFrame::bytes(FrameKind::datagram, update_header_bytes(AggregationScheme::switchml) + 128) == 183 &&
              EthernetFrame::wire_bytes(FrameKind::datagram, update_header_bytes(AggregationScheme::switchml) + 128) ==
                  203 &&
              EthernetFrame::bytes(FrameKind::datagram, update_header_bytes(AggregationScheme::atp) + 256) == 324 &&
              EthernetFrame::wire_bytes(FrameKind::write_only_immediate, 1024) == 1126);

struct UpdateHeader {
  std::uint64_t workers = 0;  ///< bit mask of workers whose values it holds; in a result, of its receivers
  std::uint32_t packet = 0;   ///< number of the packet of the worker
  std::uint32_t slot = 0;     ///< slot of the pool, or aggregator; 24 bits
  std::uint16_t job = 0, rank = 0;
  std::int16_t exponent = 0;  ///< SwitchML: exponent of the slot's next values, -511 to 511
  bool version = false;       ///< SwitchML: version of the slot
  bool result = false;
  bool resent = false;    ///< ATP: sent after a timeout
  bool overflow = false;  ///< ATP: the values are invalid, float32 is requested
  bool floats = false;    ///< ATP: values are float32
};

inline UpdateHeader read_update(const Packet& p) {
  const RoceHeader& h = roce(p);
  UpdateHeader u;
  u.workers = h.address;
  u.packet = h.extra;
  u.slot = h.psn;
  u.job = h.ring;
  u.rank = h.rank;
  u.exponent = static_cast<std::int16_t>(static_cast<int>(h.queue_pair & 0x3FF) - 512);
  u.version = (h.queue_pair >> 10 & 1) != 0;
  u.resent = (h.queue_pair >> 11 & 1) != 0;
  u.overflow = (h.queue_pair >> 12 & 1) != 0;
  u.floats = (h.queue_pair >> 13 & 1) != 0;
  u.result = h.from_above != 0;
  return u;
}

inline void write_update(Packet& p, const UpdateHeader& u) {
  RoceHeader& h = roce(p);
  h.address = u.workers;
  h.extra = u.packet;
  h.psn = u.slot & Psn::mask;
  h.ring = u.job;
  h.rank = u.rank;
  h.queue_pair = static_cast<std::uint32_t>(u.exponent + 512) | unsigned{u.version} << 10 | unsigned{u.resent} << 11 |
                 unsigned{u.overflow} << 12 | unsigned{u.floats} << 13;
  h.from_above = u.result;
}

/// Returns a frame with that header and room for `bytes` bytes of values.
Packet* make_update(PacketPool& pool, AggregationScheme scheme, const UpdateHeader& header, std::uint16_t source,
                    std::uint16_t destination, unsigned value_bytes, bool with_data);

/// Returns the values of an update; null without data.
inline std::byte* update_values(Packet& p, AggregationScheme scheme) {
  return p.payload == nullptr ? nullptr : p.payload + update_header_bytes(scheme);
}
inline const std::byte* update_values(const Packet& p, AggregationScheme scheme) {
  return p.payload == nullptr ? nullptr : p.payload + update_header_bytes(scheme);
}
inline unsigned update_value_bytes(const Packet& p, AggregationScheme scheme) {
  return p.payload_bytes - update_header_bytes(scheme);
}

}  // namespace tributary
