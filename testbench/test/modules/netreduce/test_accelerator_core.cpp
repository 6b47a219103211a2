// The accelerator of one rack without a kernel: times, sums, headers (Liu et al., 4).
#include <catch2/catch.hpp>
#include <cstring>

#include "testbench/test/harness/accelerator_rack.h"

namespace tributary::test_accelerator_core {
namespace {

using Rack = AcceleratorRack;
constexpr Tick cycle = AcceleratorBench::cycle;

}  // namespace

TEST_CASE("64 cycles from the last bit in to the first bit out with six ranks", "[pure][netreduce]") {
  Rack rack({});
  rack.send_all(0, 0, 1000 * cycle);      // on a clock edge
  rack.send_all(0, 1, 2000 * cycle + 1);  // just after an edge
  rack.bench.run();
  REQUIRE(rack.bench.sent.size() == 12);
  CHECK(rack.bench.sent[0].start == 1000 * cycle + 64 * cycle);
  CHECK(64 * cycle == 198'592);  // 199 ns
  CHECK(rack.bench.sent[6].start == 2001 * cycle + 64 * cycle);
  for (const auto& s : rack.bench.sent) CHECK(s.tail - s.start == AcceleratorBench::latency + s.frame->wire_bytes * 80);
}

TEST_CASE("latency of adders is their depth, in chains and for other numbers of ranks", "[pure][netreduce]") {
  const auto cycles = [](unsigned hosts, AdderOrder order) {
    RingFrames frames;
    frames.hosts = hosts;
    AcceleratorParams params;
    params.order = order;
    Rack rack(frames, params);
    rack.send_all(0, 0, 1000 * cycle);
    rack.bench.run();
    REQUIRE(rack.bench.sent.size() == hosts);
    return (rack.bench.sent[0].start - 1000 * cycle) / cycle;
  };
  CHECK(cycles(2, AdderOrder::tree) == 31 + 11);
  CHECK(cycles(4, AdderOrder::tree) == 31 + 22);
  CHECK(cycles(5, AdderOrder::tree) == 31 + 33);
  CHECK(cycles(6, AdderOrder::chain) == 31 + 55);
}

TEST_CASE("a slot is added when the last of its operands is stored, which need not be the last to arrive",
          "[pure][netreduce]") {
  /// A buffer whose bank of one rank needs 50 cycles more.
  struct Slow : PayloadBuffer {
    AccessTime write(std::uint64_t address, const std::byte* data, unsigned bytes, Tick now) override {
      PayloadBuffer::write(address, data, bytes, now);
      return {address / 1024 % 6 == rank ? 50 * cycle : 0, 0};
    }
    unsigned rank = 0;
  } slow;
  for (const unsigned rank : {0u, 3u, 5u}) {
    slow.rank = rank;
    const RingFrames frames;
    AcceleratorBench bench(6);
    const AcceleratorCore::Parts parts{bench.icrc, bench.connections, bench.slots, bench.translations, bench.headers,
                                       slow,       bench.combinator};
    bench.core = std::make_unique<AcceleratorCore>(AcceleratorCore::Config{}, parts, *bench.links, bench.pool);
    bench.core->begin({frames.ring()}, true);
    for (unsigned r = 0; r < 6; ++r)
      bench.receive(r, frames.gradient(bench.pool, r, 0, 0, floats(r, 0, 0).data()), (1000 + r) * cycle);
    bench.run();
    REQUIRE(bench.sent.size() == 6);
    CHECK(bench.sent[0].start == (1000 + rank + 50 + 64) * cycle);
  }
}

TEST_CASE("a slot occupies the combinator for 17 cycles", "[pure][netreduce]") {
  RingFrames frames;
  frames.message_packets = 8;
  Rack rack(frames);
  rack.send_all(0, 0, 1000 * cycle);
  for (unsigned o = 1; o < 4; ++o) rack.send_all(0, o, 1000 * cycle + o);  // one edge later, simultaneously
  rack.bench.run();
  REQUIRE(rack.bench.sent.size() == 24);
  // The wire is slower than the combinator: 88.5 ns against 52.8 ns.
  CHECK(rack.bench.sent[6].start - rack.bench.sent[0].start == 1122 * 80);
  const AcceleratorParams params;
  CHECK(Combinator::slot_cycles(params, 1024) == 17);
  Combinator combinator(params);
  CombineTransaction t;
  t.operands = 6;
  t.bytes = 1024;
  CHECK(combinator.access(t) == 33 * cycle);  // three adders
}

TEST_CASE("sums have the bits of the adders' order, in all element types", "[pure][netreduce]") {
  for (const AdderOrder order : {AdderOrder::tree, AdderOrder::chain}) {
    AcceleratorParams params;
    params.order = order;
    Rack rack({}, params);
    rack.send_all(0, 0, 1'000'000), rack.send_all(0, 1, 2'000'000);
    rack.bench.run();
    REQUIRE(rack.bench.sent.size() == 12);
    for (const auto& s : rack.bench.sent) {
      const unsigned offset = Psn::minus(roce(*s.frame).psn, rack.ring.psn(s.port, 0, 0)) == 0 ? 0 : 1;
      std::vector<Payload> x;
      for (unsigned r = 0; r < 6; ++r) x.push_back(floats(r, 0, offset));
      const auto value = [&](unsigned r, unsigned i) { return at(x[r].data(), i); };
      unsigned wrong = 0;
      for (unsigned i = offset == 0 ? 4 : 0; i < 256; ++i) {
        float sum = ((value(0, i) + value(1, i)) + (value(2, i) + value(3, i))) + (value(4, i) + value(5, i));
        if (order == AdderOrder::chain) {
          sum = value(0, i);
          for (unsigned r = 1; r < 6; ++r) sum += value(r, i);
        }
        wrong += at(s.frame->payload, i) != sum;
      }
      CHECK(wrong == 0);
      // The header of a message is that of its own sender.
      if (offset == 0)
        for (unsigned b = 0; b < 16; ++b) CHECK(s.frame->payload[b] == std::byte(0xA0 + s.port));
    }
  }
  Combinator combinator{AcceleratorParams{}};
  for (const ElementType type : {ElementType::f16, ElementType::bf16, ElementType::i32})
    for (const ReduceOp op : {ReduceOp::sum, ReduceOp::max}) {
      std::vector<Payload> x;
      std::vector<const std::byte*> operands;
      for (unsigned r = 0; r < 3; ++r) x.push_back(floats(r, 1, 1));
      for (const Payload& p : x) operands.push_back(p.data());
      Payload sum(1024), expected = x[0];
      CombineTransaction t;
      t.operands = 3, t.operand = operands.data(), t.sum = sum.data(), t.bytes = 1024, t.type = type, t.op = op;
      combinator.access(t);
      apply(op, type, expected.data(), x[1].data(), 1024);
      apply(op, type, expected.data(), x[2].data(), 1024);
      CHECK(sum == expected);
    }
}

TEST_CASE("headers of results are those of the gradients", "[pure][netreduce]") {
  RingFrames frames;
  frames.first_psn = 0xFFFFFE;  // PSNs wrap
  Rack rack(frames, {}, {}, false);
  for (unsigned m = 0; m < 2; ++m)
    for (unsigned o = 0; o < 4; ++o) rack.send_all(m, o, (1 + m * 4 + o) * 1'000'000);
  rack.bench.run();
  REQUIRE(rack.bench.sent.size() == 48);
  unsigned equal = 0;
  for (const auto& s : rack.bench.sent)
    for (unsigned m = 0; m < 2; ++m)
      for (unsigned o = 0; o < 4; ++o) {
        Packet* const own = frames.gradient(rack.bench.pool, s.port, m, o);
        equal += std::memcmp(&roce(*own), &roce(*s.frame), sizeof(RoceHeader)) == 0 &&
                 own->wire_bytes == s.frame->wire_bytes && own->born == s.frame->born &&
                 own->payload_bytes == s.frame->payload_bytes;
        own->release();
      }
  CHECK(equal == 48);
  CHECK(rack.bench.count("slot.completed") == 8);
  CHECK(rack.bench.count("slot.stored") == 40);
  CHECK(rack.bench.count("slot.duplicate") == 0);
  CHECK(rack.bench.count("clt.update") == 12);
}

TEST_CASE("in a rack a congestion mark stays with its sender's result", "[pure][netreduce]") {
  const RingFrames frames;
  Rack rack(frames, {}, {}, false);
  for (unsigned r = 0; r < 6; ++r) {
    Packet* const p = frames.gradient(rack.bench.pool, r, 0, 0);
    if (r == 2) roce(*p).ecn = static_cast<unsigned>(Ecn::congested) & 3u;
    rack.bench.receive(r, p, 1'000'000 + r);
  }
  rack.bench.run();
  REQUIRE(rack.bench.sent.size() == 6);
  for (const auto& s : rack.bench.sent)
    CHECK(roce(*s.frame).ecn == static_cast<unsigned>(roce(*s.frame).source == 2 ? Ecn::congested : Ecn::capable));
}

TEST_CASE("acknowledgements return by their port: MAC, parser, MAC", "[pure][netreduce]") {
  Rack rack({});
  Packet* const ack = make_frame(rack.bench.pool, FrameKind::ack, 0, false);
  ack->vc = control_class;
  rack.bench.receive(2, ack, 100 * cycle - 5);
  rack.bench.run();
  REQUIRE(rack.bench.sent.size() == 1);
  CHECK(rack.bench.sent[0].port == 2);
  CHECK(rack.bench.sent[0].start == 124 * cycle);
  CHECK(rack.bench.sent[0].frame == ack);
}

TEST_CASE("each rank is added once, for any number of ranks, by a tree or a chain", "[pure][netreduce]") {
  for (const AdderOrder order : {AdderOrder::tree, AdderOrder::chain}) {
    AcceleratorParams params;
    params.order = order;
    Combinator combinator(params);
    for (unsigned ranks = 1; ranks <= 33; ++ranks) {
      std::vector<std::vector<std::int32_t>> x;
      std::vector<const std::byte*> operands;
      for (unsigned r = 0; r < ranks; ++r) x.emplace_back(16, 1 << r % 28);
      for (const auto& v : x) operands.push_back(reinterpret_cast<const std::byte*>(v.data()));
      std::vector<std::int32_t> sum(16);
      CombineTransaction t;
      t.operands = ranks, t.operand = operands.data(), t.bytes = 64, t.skip = 16, t.type = ElementType::i32;
      t.sum = reinterpret_cast<std::byte*>(sum.data());
      combinator.access(t);
      std::int32_t expected = 0;
      for (unsigned r = 0; r < ranks; ++r) expected += 1 << r % 28;
      CHECK((sum[3] == 0 && sum[4] == expected && sum[15] == expected));
    }
  }
}

}  // namespace tributary::test_accelerator_core
