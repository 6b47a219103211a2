#pragma once
/// Frames for tests: from hexadecimal digits, and at random.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/random.h"
#include "modules/ethernet/core/aggregation_bytes.h"
#include "modules/ethernet/core/frame_codec.h"

namespace tributary {

using FrameBytes = std::vector<std::uint8_t>;

inline FrameBytes from_hex(const std::string& digits) {
  FrameBytes bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(digits.substr(i, 2), nullptr, 16)));
  return bytes;
}

inline constexpr FrameKind all_frame_kinds[] = {FrameKind::write_first,  FrameKind::write_middle,
                                                FrameKind::write_last,   FrameKind::write_last_immediate,
                                                FrameKind::write_only,   FrameKind::write_only_immediate,
                                                FrameKind::ack,          FrameKind::nack,
                                                FrameKind::cnp,          FrameKind::aggregate,
                                                FrameKind::notification, FrameKind::pause,
                                                FrameKind::datagram};

/// Consecutive random numbers of one stream.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed) : seed_(seed) {}
  std::uint64_t next() { return random_at(seed_, 0, index_++); }
  unsigned below(unsigned bound) { return static_cast<unsigned>(tributary::below(next(), bound)); }

 private:
  std::uint64_t seed_, index_ = 0;
};

/// Makes a packet of `kind` with random values in exactly the fields that such a frame carries, and with at most `most`
/// random bytes if it has a payload. Every second first or only packet is tagged.
inline Packet* random_frame(PacketPool& pool, FrameKind kind, RandomStream& random, unsigned most) {
  const bool with_payload = is_write(kind) || kind == FrameKind::aggregate || kind == FrameKind::datagram;
  const bool tagged = begins_write(kind) && random.below(2) == 0;
  const unsigned least = tagged ? AggregationHeader::bytes : 0;
  Packet* const p = make_frame(pool, kind, with_payload ? least + random.below(most - least + 1) : 0, true);
  RoceHeader h{};
  h.address = random.next();
  h.psn = static_cast<std::uint32_t>(random.next()) & (kind == FrameKind::aggregate ? 0xFFFF : Psn::mask);
  h.queue_pair = static_cast<std::uint32_t>(random.next()) & Psn::mask;
  h.extra = static_cast<std::uint32_t>(random.next());
  if (kind == FrameKind::ack || kind == FrameKind::nack) h.extra &= Psn::mask;
  if (kind == FrameKind::pause) h.extra &= 0x7FFFF;
  h.source = static_cast<std::uint16_t>(random.next()), h.destination = static_cast<std::uint16_t>(random.next());
  h.ring = static_cast<std::uint16_t>(random.next()), h.rank = static_cast<std::uint16_t>(random.next());
  h.udp_port = static_cast<std::uint16_t>(random.next());
  h.kind = kind;
  h.ecn = random.next() & 3, h.ack_request = random.next() & 1, h.from_above = random.next() & 1;
  h.tagged = tagged || (!begins_write(kind) && random.below(2) == 0);
  roce(*p) = carried(h);
  for (unsigned i = 0; i < p->payload_bytes; ++i) p->payload[i] = static_cast<std::byte>(random.next());
  if (tagged) store_aggregation_header({h.ring, h.rank, h.extra, static_cast<std::uint16_t>(random.next())}, p->payload);
  return p;
}

inline void put_reversed(FrameBytes& frame, std::size_t at, std::uint32_t crc) {
  for (unsigned i = 0; i < 4; ++i) frame[at + i] = static_cast<std::uint8_t>(crc >> 8 * i);
}
/// Sets the FCS that is right for the bytes.
inline void remake_fcs(FrameBytes& frame) {
  if (frame.size() >= 4) put_reversed(frame, frame.size() - 4, frame_check_sequence(frame.data(), frame.size() - 4));
}
/// Sets the right ICRC, IPv4 checksum and FCS, as far as the bytes have room for them.
inline void remake_checksums(FrameBytes& frame) {
  if (frame.size() >= 34 && frame[12] == 8 && frame[13] == 0) {
    NetworkOrderWriter(&frame[24]).put<2>(ipv4_checksum(&frame[14]));
    const std::size_t end = EthernetFrame::mac + static_cast<std::size_t>(load<2>(&frame[16]));
    if (end > EthernetFrame::mac + 4 && end <= frame.size())
      if (const auto icrc = invariant_crc(frame.data(), end - 4)) put_reversed(frame, end - 4, *icrc);
  }
  remake_fcs(frame);
}

}  // namespace tributary
