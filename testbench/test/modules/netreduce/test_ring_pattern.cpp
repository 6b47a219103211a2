// Collectives whose packets may be empty: the senders and receivers of the data of a packet
// (docs/systems/netreduce.md#other-collectives).
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <vector>

#include "modules/netreduce/core/leaf_translation.h"
#include "modules/netreduce/core/ring_packets.h"
#include "testbench/test/harness/accelerator_bench.h"
#include "testbench/test/harness/ring_frames.h"

namespace tributary::test_ring_pattern {
namespace {

constexpr std::array all{RingCollective::reduce, RingCollective::broadcast, RingCollective::reduce_scatter,
                         RingCollective::allgather};

/// Messages of eight packets. The first of `ranks` parts is 4 B longer than the others.
RingPattern pattern_of(RingCollective collective, unsigned ranks = 3) {
  RingPattern p;
  p.collective = collective;
  p.ranks = ranks;
  p.root = 1;
  p.message_packets = 8;
  p.long_bytes = p.in_parts() ? 5004 : 20'000;
  p.short_bytes = p.in_parts() ? 5000 : 20'000;
  p.pitch = p.in_parts() ? 5120 : 20'096;
  return p;
}

/// A ring of three ranks on one accelerator, with a pattern.
struct Bench {
  explicit Bench(RingCollective collective) : pattern(pattern_of(collective)), bench(3) {
    frames.hosts = 3;
    frames.message_packets = 8;
    AggregationRing ring = frames.ring(ElementType::i32);
    ring.pattern = pattern;
    bench.core->begin({ring}, true);
  }
  /// Rank r sends the value 10^r.
  void send(unsigned rank, std::uint32_t message, std::uint32_t offset, Tick tail) {
    RingPlan plan;
    plan.rank = static_cast<std::uint16_t>(rank);
    plan.pattern = pattern;
    const WriteRequest w = packet_request(plan, message, offset);
    const std::vector<std::int32_t> values(256, rank == 0 ? 1 : rank == 1 ? 10 : 100);
    Packet* const p =
        make_frame(bench.pool, w.immediate_valid ? FrameKind::write_only_immediate : FrameKind::write_only, w.bytes, true);
    RoceHeader& h = roce(*p);
    const ConnectionKey c = frames.connection(rank);
    h.source = c.source, h.destination = c.destination, h.queue_pair = c.queue_pair;
    h.psn = frames.psn(rank, message, offset);
    h.tagged = w.tagged;
    h.extra = w.tagged ? message : w.immediate;
    p->vc = roce_class;
    if (p->payload != nullptr) std::memcpy(p->payload, values.data(), w.bytes);
    bench.receive(rank, p, tail);
  }
  RingPattern pattern;
  RingFrames frames;
  AcceleratorBench bench;
};

}  // namespace

TEST_CASE("ring pattern: the data packets of all messages carry each byte of the tensor once", "[pure][netreduce]") {
  for (const RingCollective collective : all)
    for (const unsigned ranks : {2u, 3u, 7u}) {
      const RingPattern p = pattern_of(collective, ranks);
      std::vector<unsigned> carried(p.header_place());
      for (std::uint32_t m = 0; m < p.messages(); ++m)
        for (std::uint32_t o = 1; o < p.message_packets; ++o) {
          const RingPattern::Data d = p.data(m, o);
          REQUIRE(d.place + d.bytes <= carried.size());
          for (unsigned i = 0; i < d.bytes; ++i) ++carried[d.place + i];
          if (p.in_parts() && d.bytes != 0) CHECK(d.place / p.pitch == d.owner);
          if (!p.in_parts()) CHECK(d.owner == 1);
        }
      std::uint64_t wrong = 0;
      for (std::uint64_t i = 0; i < carried.size(); ++i) {
        const std::uint64_t part = i / p.pitch;
        const bool within = i % p.pitch < (part < p.longer ? p.long_bytes : p.short_bytes);
        wrong += carried[i] != (within ? 1u : 0u);
      }
      CHECK(wrong == 0);
      // Five packets of 1024 B for each part of 5 kB, 20 for 20 kB; seven in a message.
      CHECK(p.messages() == ((p.in_parts() ? 5 * ranks : 20) + 6) / 7);
    }
}

TEST_CASE("ring pattern: operands of all, of the owner or of the root, and sums for the others", "[pure][netreduce]") {
  const auto count = [](const RingPattern& p, bool sends) {
    std::string ranks;
    for (unsigned r = 0; r < p.ranks; ++r)
      if (sends ? p.sends(r, 0, 3) : p.receives(r, 0, 3)) ranks += std::to_string(r);
    return ranks;
  };
  // Data packet 2 belongs to part 2, or to the root.
  CHECK(count(pattern_of(RingCollective::reduce_scatter), true) == "012");
  CHECK(count(pattern_of(RingCollective::reduce_scatter), false) == "2");
  CHECK(count(pattern_of(RingCollective::allgather), true) == "2");
  CHECK(count(pattern_of(RingCollective::allgather), false) == "01");
  CHECK(count(pattern_of(RingCollective::reduce), true) == "012");
  CHECK(count(pattern_of(RingCollective::reduce), false) == "1");
  CHECK(count(pattern_of(RingCollective::broadcast), true) == "1");
  CHECK(count(pattern_of(RingCollective::broadcast), false) == "02");
  const RingPattern p = pattern_of(RingCollective::allgather);
  CHECK((!p.sends(2, 0, 0) && !p.receives(0, 0, 0)));
  CHECK(p.result_bytes(2, 0, 3, 1024) == 0);
  CHECK(p.result_bytes(0, 0, 3, 1024) == 1024);
  CHECK(p.result_bytes(2, 0, 0, 0) == 16);
}

TEST_CASE("ring packets: a header packet, WRITEs of one packet each, one completion for a message", "[pure][netreduce]") {
  RingPlan plan;
  plan.ring = 4, plan.rank = 2;
  plan.operand = 100'000;
  plan.remote_buffers = 500'000;
  plan.pattern = pattern_of(RingCollective::allgather);
  plan.ack_interval = 4;
  const WriteRequest first = packet_request(plan, 1, 0);
  CHECK((first.tagged && first.bytes == 16 && first.data_bytes == 0 && !first.signalled && !first.immediate_valid));
  CHECK(
      (first.header.ring == 4 && first.header.rank == 2 && first.header.message == 1 && first.header.message_packets == 8));
  CHECK(first.remote == 500'000 + 3 * 5120);
  // Data packets 7 to 13: the owners are 1, 2, 0, 1, 2, 0, 1.
  for (std::uint32_t o = 1; o < 8; ++o) {
    const WriteRequest w = packet_request(plan, 1, o);
    CHECK(w.bytes == (o == 2 || o == 5 ? 1024u : 0u));
    CHECK(w.signalled == (o == 3 || o == 7));
    CHECK(w.immediate_valid == (o == 7));
    CHECK(w.id == (o == 7 ? 1 : part_of_message));
    CHECK(w.local - plan.operand == w.remote - plan.remote_buffers);
  }
  CHECK(packet_request(plan, 1, 2).remote == 500'000 + 2 * 5120 + 2 * 1024);  // data packet 8 is the third of part 2
}

TEST_CASE("an all-gather copies each packet to all but its owner, who gets it empty", "[pure][netreduce]") {
  Bench b(RingCollective::allgather);
  for (std::uint32_t o = 0; o < 8; ++o)
    for (unsigned r = 0; r < 3; ++r) b.send(r, 0, o, (1 + o) * 1'000'000 + r);
  b.bench.run();
  REQUIRE(b.bench.sent.size() == 24);
  for (const auto& s : b.bench.sent) {
    const auto offset = static_cast<unsigned>(Psn::minus(roce(*s.frame).psn, b.frames.psn(s.port, 0, 0)));
    const unsigned receiver = (s.port + 1) % 3, owner = b.pattern.data(0, offset == 0 ? 1 : offset).owner;
    CHECK(s.frame->payload_bytes == (offset == 0 ? 16u : receiver == owner ? 0u : 1024u));
    CHECK(s.frame->wire_bytes == EthernetFrame::wire_bytes(roce(*s.frame).kind, s.frame->payload_bytes));
    if (offset == 0 || receiver == owner) continue;
    std::int32_t value = 0;
    std::memcpy(&value, s.frame->payload + 1020, 4);
    CHECK(value == (owner == 0 ? 1 : owner == 1 ? 10 : 100));
  }
}

TEST_CASE("a reduce-scatter sends a sum to its owner, and empty packets stay in order", "[pure][netreduce]") {
  for (const std::uint32_t message : {0u, 2u}) {  // in message 2 padding follows data packet 14, while that is in the adders
    Bench b(RingCollective::reduce_scatter);
    for (std::uint32_t o = 0; o < 8; ++o)
      for (unsigned r = 0; r < 3; ++r) b.send(r, message, o, 1'000'000 + o);
    b.bench.run();
    REQUIRE(b.bench.sent.size() == 24);
    std::map<unsigned, std::uint32_t> next;
    unsigned sums = 0;
    for (const auto& s : b.bench.sent) {
      const std::uint32_t offset = next[s.port]++;
      CHECK(roce(*s.frame).psn == b.frames.psn(s.port, message, offset));
      if (offset == 0 || s.frame->payload_bytes == 0) continue;
      ++sums;
      std::int32_t value = 0;
      std::memcpy(&value, s.frame->payload, 4);
      CHECK(value == 111);
    }
    CHECK(sums == (message == 0 ? 7 : 1));
  }
}

TEST_CASE("a duplicate gets the sum or the empty packet of its own connection again", "[pure][netreduce]") {
  Bench b(RingCollective::reduce_scatter);
  for (std::uint32_t o = 0; o < 2; ++o)
    for (unsigned r = 0; r < 3; ++r) b.send(r, 0, o, 1'000'000 + o);
  b.bench.run();
  b.bench.clear();
  for (unsigned r = 0; r < 3; ++r) b.send(r, 0, 1, 9'000'000 + r);
  b.bench.run();
  REQUIRE(b.bench.sent.size() == 3);
  for (const auto& s : b.bench.sent) CHECK(s.frame->payload_bytes == (s.port == 2 ? 1024u : 0u));  // 2 > 0 ends at rank 0
}

TEST_CASE("a frame longer than the MTU belongs to no ring with empty packets", "[pure][netreduce]") {
  Bench b(RingCollective::broadcast);
  Packet* const p = make_frame(b.bench.pool, FrameKind::write_only, 1028, false);
  b.bench.receive(0, p, 1'000'000);
  b.bench.run();
  CHECK(b.bench.count("dropped") == 1);
}

TEST_CASE("a root sends data to leaves with a rank that receives them", "[pure][netreduce]") {
  AggregationRing root;
  root.pattern = pattern_of(RingCollective::allgather);
  root.leaf_of = {0, 1, 1};
  root.ranks_of = {1, 2};
  CHECK((!root.leaf_receives(0, 0, 1) && root.leaf_receives(1, 0, 1)));  // part 0 is of the only rank at leaf 0
  CHECK((root.leaf_receives(0, 0, 2) && root.leaf_receives(1, 0, 2)));
  root.pattern.collective = RingCollective::reduce_scatter;
  CHECK((root.leaf_receives(0, 0, 1) && !root.leaf_receives(1, 0, 1)));
  CHECK((!root.leaf_receives(0, 0, 0) && !root.leaf_receives(1, 0, 0)));
}

TEST_CASE("a leaf computes headers of WRITEs of one packet", "[pure][netreduce]") {
  AggregationRing ring;
  ring.message_packets = 8;
  ring.pattern = pattern_of(RingCollective::allgather);
  const CtTarget target{{4, 5, 9}, {}};
  FirstPacket first;
  first.message = 2, first.psn = 1016, first.address = 500'000 + 3 * 5120, first.rank = 1, first.valid = true;
  const RoceHeader begin = LeafTranslation::header(ring, target, first, 0, 0);
  CHECK((begin.kind == FrameKind::write_only && begin.tagged && begin.psn == 1000 && begin.address == first.address));
  const RoceHeader data = LeafTranslation::header(ring, target, first, 1, 2);
  CHECK((data.kind == FrameKind::write_only && !data.tagged && data.psn == 1010 && data.extra == 0 && !data.ack_request));
  CHECK(data.address == 500'000 + 2 * 5120 + 2 * 1024);
  const RoceHeader last = LeafTranslation::header(ring, target, first, 1, 7);
  CHECK((last.kind == FrameKind::write_only_immediate && last.extra == 1 && last.ack_request));
}

}  // namespace tributary::test_ring_pattern
