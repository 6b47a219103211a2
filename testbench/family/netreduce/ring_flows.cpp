#include "testbench/family/netreduce/ring_flows.h"

#include "modules/netreduce/core/ct_table.h"

namespace tributary {

void RingFlows::learn(const RingManager& rings) {
  sent_.clear(), answered_.clear();
  const auto station = [](int host) { return static_cast<std::uint16_t>(host); };
  for (const std::uint16_t ring : rings.numbers())
    for (const HostConnection& c : rings.connections(ring)) {
      const Stream stream{ring, c.psn};
      sent_[word_of({station(c.from), station(c.to), RingManager::pair_number(c.to_pair)})] = stream;
      answered_[word_of({station(c.to), station(c.from), RingManager::pair_number(c.from_pair)})] = stream;
    }
}

PacketTrail RingFlows::of(const RoceHeader& h) const {
  if (h.kind == FrameKind::aggregate) return {std::uint64_t{h.extra} * message_packets_ + h.psn, h.ring};
  const Stream* const stream = stream_of(h);
  if (stream == nullptr) return {};
  const std::int64_t packet = Psn::minus(h.psn, stream->first_psn);
  if (packet < 0) return {};
  return {static_cast<std::uint64_t>(packet), stream->ring};
}

const RingFlows::Stream* RingFlows::stream_of(const RoceHeader& h) const {
  const bool nack = h.kind == FrameKind::nack;
  if (!nack && !is_write(h.kind) && h.kind != FrameKind::notification) return nullptr;
  const auto& streams = nack ? answered_ : sent_;
  const auto stream = streams.find(word_of(connection_of(h)));
  return stream == streams.end() ? nullptr : &stream->second;
}

}  // namespace tributary
