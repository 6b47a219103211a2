#include "modules/tofino/core/update_header.h"

#include <algorithm>

namespace tributary {

Packet* make_update(PacketPool& pool, AggregationScheme scheme, const UpdateHeader& header, std::uint16_t source,
                    std::uint16_t destination, unsigned value_bytes, bool with_data) {
  const unsigned front = update_header_bytes(scheme);
  Packet* const p = make_frame(pool, update_frame_kind(scheme), front + value_bytes, with_data);
  p->vc = static_cast<std::uint8_t>(update_class(scheme));
  RoceHeader& h = roce(*p);
  h.source = source;
  h.destination = destination;
  h.ecn = static_cast<std::uint8_t>(Ecn::capable) & 3u;
  write_update(*p, header);
  if (p->payload == nullptr || front == 0) return p;
  // packet 4 B, slot 3, exponent and flags 2; with ATP then workers 8, job 2, rank 2
  std::byte bytes[22] = {};
  unsigned at = 0;
  const auto put = [&](std::uint64_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i) bytes[at++] = static_cast<std::byte>(value >> (8 * (count - 1 - i)));
  };
  put(header.packet, 4);
  put(header.slot, 3);
  put(h.queue_pair, 2);
  put(header.workers, 8);
  put(header.job, 2);
  put(header.rank, 2);
  std::copy_n(bytes, front, p->payload);
  return p;
}

}  // namespace tributary
