// The accelerator of one rack without a kernel: times, sums, headers, lost and repeated packets (Liu et al., 4.2).
#include <catch2/catch.hpp>
#include <cstring>

#include "modules/base/random.h"
#include "testbench/test/harness/accelerator_bench.h"
#include "testbench/test/harness/ring_frames.h"

using namespace tributary;
using Catch::Matchers::Contains;

namespace {

using Payload = std::vector<std::byte>;
constexpr Tick clock = AcceleratorBench::clock;

Tick edge(Tick t) { return (t + clock - 1) / clock * clock; }

/// Operands whose sum depends on the order of addition.
Payload floats(unsigned rank, std::uint32_t message, std::uint32_t offset) {
  Payload data(1024);
  for (unsigned i = 0; i < 256; ++i) {
    const std::uint64_t r = random_at(7, rank, (std::uint64_t{message} << 32) + offset * 256 + i);
    const float x = static_cast<float>(below(r, 1'000'003)) * (r & 1u ? 1e-3F : 1e4F);
    std::memcpy(&data[4 * i], &x, 4);
  }
  return data;
}
float at(const std::byte* data, unsigned i) {
  float x;
  std::memcpy(&x, data + 4 * i, 4);
  return x;
}

struct Rack {
  explicit Rack(const RingFrames& frames, const AcceleratorParams& params = {}, const AggregationParams& rules = {},
                bool with_data = true)
      : ring(frames), bench(frames.hosts, params, rules, frames.window), data(with_data) {
    bench.core->begin({ring.ring()}, with_data);
  }
  void send(unsigned rank, std::uint32_t message, std::uint32_t offset, Tick tail) {
    const Payload payload = floats(rank, message, offset);
    bench.receive(rank, ring.gradient(bench.pool, rank, message, offset, data ? payload.data() : nullptr), tail);
  }
  void send_all(std::uint32_t message, std::uint32_t offset, Tick tail) {
    for (unsigned r = 0; r < ring.hosts; ++r) send(r, message, offset, tail);
  }

  RingFrames ring;
  AcceleratorBench bench;
  bool data;
};

}  // namespace

TEST_CASE("from the last bit in to the first bit out are 64 cycles with six ranks", "[pure][netreduce]") {
  Rack rack({});
  rack.send_all(0, 0, 1000 * clock);       // on an edge
  rack.send_all(0, 1, 2000 * clock + 1);   // just behind one
  rack.bench.run();
  REQUIRE(rack.bench.sent.size() == 12);
  CHECK(rack.bench.sent[0].start == 1000 * clock + 64 * clock);
  CHECK(64 * clock == 198'592);  // 199 ns
  CHECK(rack.bench.sent[6].start == 2001 * clock + 64 * clock);
  for (const auto& s : rack.bench.sent) CHECK(s.tail - s.start == AcceleratorBench::latency + s.frame->wire_bytes * 80);
}

TEST_CASE("adders of a chain, and of other numbers of ranks, take their depth", "[pure][netreduce]") {
  const auto cycles = [](unsigned hosts, AdderOrder order) {
    RingFrames frames;
    frames.hosts = hosts;
    AcceleratorParams params;
    params.order = order;
    Rack rack(frames, params);
    rack.send_all(0, 0, 1000 * clock);
    rack.bench.run();
    REQUIRE(rack.bench.sent.size() == hosts);
    return (rack.bench.sent[0].start - 1000 * clock) / clock;
  };
  CHECK(cycles(2, AdderOrder::tree) == 31 + 11);
  CHECK(cycles(4, AdderOrder::tree) == 31 + 22);
  CHECK(cycles(5, AdderOrder::tree) == 31 + 33);
  CHECK(cycles(6, AdderOrder::chain) == 31 + 55);
}

TEST_CASE("a slot takes the combinator 17 cycles", "[pure][netreduce]") {
  RingFrames frames;
  frames.message_packets = 8;
  Rack rack(frames);
  rack.send_all(0, 0, 1000 * clock);
  for (unsigned o = 1; o < 4; ++o) rack.send_all(0, o, 1000 * clock + o);  // one edge later, all at once
  rack.bench.run();
  REQUIRE(rack.bench.sent.size() == 24);
  // The wire takes longer than the combinator: 88.5 ns against 52.8 ns.
  CHECK(rack.bench.sent[6].start - rack.bench.sent[0].start == 1122 * 80);
  Combinator combinator{AcceleratorParams{}};
  CombineTransaction t;
  t.operands = 6;
  t.bytes = 1024;
  combinator.access(t);
  CHECK(t.done == 34 * clock);  // a cycle to read, three adders
  combinator.access(t);
  CHECK(t.done == (17 + 34) * clock);
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
      // The header of a message is each sender's own.
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
  frames.first_psn = 0xFFFFFE;  // wraps
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
        equal += std::memcmp(&roce(*own), &roce(*s.frame), sizeof(RoceHeader)) == 0 && own->wire_bytes == s.frame->wire_bytes &&
                 own->born == s.frame->born && own->payload_bytes == s.frame->payload_bytes;
        own->release();
      }
  CHECK(equal == 48);
  CHECK(rack.bench.count("slot.completed") == 8);
  CHECK(rack.bench.count("slot.stored") == 40);
  CHECK(rack.bench.count("slot.duplicate") == 0);
  CHECK(rack.bench.count("clt.update") == 12);
}

TEST_CASE("what waits is named by ring, message, packet and missing ranks", "[pure][netreduce]") {
  RingFrames frames;
  frames.hosts = 4;
  Rack rack(frames, {}, {}, false);
  for (unsigned m = 0; m < 5; ++m)
    for (unsigned o = 0; o < 4; ++o) rack.send_all(m, o, (1 + m * 4 + o) * 1'000'000);
  for (unsigned r : {0, 2, 3})
    for (unsigned o = 0; o < 3; ++o) rack.send(r, 5, o, 30'000'000 + o * 1'000'000);
  for (unsigned o = 0; o < 2; ++o) rack.send(1, 5, o, 34'000'000 + o * 1'000'000);
  rack.bench.run();
  CHECK(rack.bench.slots.waiting() == std::vector<std::string>{"ring0: message 5, packet 2: 3 of 4 ranks, missing rank 1"});
  CHECK(rack.bench.core->waiting().empty());
}

TEST_CASE("a lost gradient leaves its slot open, and the senders' repetition completes it once", "[pure][netreduce]") {
  Rack rack({});
  for (unsigned o = 0; o < 4; ++o)
    for (unsigned r = 0; r < 6; ++r)
      if (o != 1 || r != 2) rack.send(r, 0, o, (1 + o) * 1'000'000);
  rack.bench.run();
  CHECK(rack.bench.sent.size() == 18);
  rack.bench.clear();
  for (unsigned o = 1; o < 4; ++o) rack.send_all(0, o, (10 + o) * 1'000'000);  // all go back to the gap
  rack.bench.run();
  CHECK(rack.bench.count("slot.completed") == 4);
  CHECK(rack.bench.count("slot.duplicate") == 12);  // of the two slots behind it
  CHECK(rack.bench.count("reemissions") == 12);
  CHECK(rack.bench.sent.size() == 18);
}

TEST_CASE("behind a lost first packet the rest of its message is dropped", "[pure][netreduce]") {
  Rack rack({});
  for (unsigned o = 0; o < 4; ++o) rack.send(3, 0, o, (1 + o) * 1'000'000);
  for (unsigned o = 1; o < 4; ++o) rack.send(3, 1, o, (10 + o) * 1'000'000);
  rack.bench.run();
  CHECK(rack.bench.count("clt.refused") == 3);  // MsgLen - 1
  CHECK(rack.bench.count("dropped") == 3);
  CHECK(rack.bench.count("slot.stored") == 4);
}

TEST_CASE("a lost result is sent again to its own connection, and with reemit=all to each", "[pure][netreduce]") {
  for (const Reemission reemit : {Reemission::own, Reemission::all}) {
    AggregationParams rules;
    rules.reemit = reemit;
    Rack rack({}, {}, rules);
    for (unsigned o = 0; o < 4; ++o) rack.send_all(0, o, (1 + o) * 1'000'000);
    rack.bench.run();
    const Payload before(rack.bench.sent[7].frame->payload, rack.bench.sent[7].frame->payload + 1024);
    rack.bench.clear();
    rack.send(4, 0, 1, 10'000 * clock);
    rack.bench.run();
    REQUIRE(rack.bench.sent.size() == (reemit == Reemission::own ? 1 : 6));
    for (const auto& s : rack.bench.sent) {
      CHECK(roce(*s.frame).psn == rack.ring.psn(s.port, 0, 1));
      CHECK(std::memcmp(s.frame->payload, before.data(), 1024) == 0);
      // Without adders: MAC 10, parser 4, CLT 2, commit 2, read 1, headers 2, MAC 10.
      CHECK(s.start == 10'000 * clock + 31 * clock);
    }
    if (reemit == Reemission::own) CHECK(rack.bench.sent[0].port == 4);
  }
}

TEST_CASE("a sum that is not kept is added again", "[pure][netreduce]") {
  AcceleratorParams params;
  params.value = SlotValue::recomputed;
  Rack rack({}, params);
  rack.send_all(0, 0, 1'000'000), rack.send_all(0, 1, 2'000'000);
  rack.bench.run();
  const Payload before(rack.bench.sent[6].frame->payload, rack.bench.sent[6].frame->payload + 1024);
  rack.bench.clear();
  rack.send(4, 0, 1, 10'000 * clock);
  rack.bench.run();
  REQUIRE(rack.bench.sent.size() == 1);
  CHECK(rack.bench.sent[0].start == 10'000 * clock + 64 * clock);
  CHECK(std::memcmp(rack.bench.sent[0].frame->payload, before.data(), 1024) == 0);
}

TEST_CASE("a duplicate before its slot is full changes nothing, an old one is dropped", "[pure][netreduce]") {
  Rack rack({});
  rack.send(0, 0, 0, 1'000'000);
  rack.send(0, 0, 0, 2'000'000);
  rack.bench.run();
  CHECK(rack.bench.sent.empty());
  CHECK(rack.bench.count("slot.stored") == 2);
  for (unsigned m = 0; m < 5; ++m) rack.send_all(m, 0, (10 + m) * 1'000'000);
  rack.bench.run();
  rack.bench.clear();
  rack.send(1, 0, 0, 20'000'000);  // its slot has message 4
  rack.bench.run();
  CHECK(rack.bench.sent.empty());
  CHECK(rack.bench.count("slot.stale") == 1);
  CHECK(rack.bench.count("clt.behind") == 1);
}

TEST_CASE("damaged frames are dropped: FCS by the MAC, ICRC by its unit", "[pure][netreduce]") {
  Rack rack({});
  for (const std::uint8_t damage : {fcs_wrong, icrc_wrong}) {
    Packet* const p = rack.ring.gradient(rack.bench.pool, 0, 0, 0);
    p->damage = damage;
    rack.bench.receive(0, p, 1'000'000 * damage);
  }
  rack.bench.run();
  CHECK(rack.bench.count("fcs_errors") == 1);
  CHECK(rack.bench.count("icrc_errors") == 1);
  CHECK(rack.bench.count("slot.stored") == 0);
  CHECK(rack.bench.pool.live() == 0);
}

TEST_CASE("acknowledgements pass back by their port: MAC, parser, MAC", "[pure][netreduce]") {
  Rack rack({});
  Packet* const ack = make_frame(rack.bench.pool, FrameKind::ack, 0, false);
  ack->vc = control_class;
  rack.bench.receive(2, ack, 100 * clock - 5);
  rack.bench.run();
  REQUIRE(rack.bench.sent.size() == 1);
  CHECK(rack.bench.sent[0].port == 2);
  CHECK(rack.bench.sent[0].start == 124 * clock);
  CHECK(rack.bench.sent[0].frame == ack);
}

TEST_CASE("frames of any header are counted and dropped, and change no state", "[pure][netreduce]") {
  Rack rack({}, {}, {}, false);
  for (unsigned o = 0; o < 4; ++o) rack.send_all(0, o, (1 + o) * 1'000'000);
  rack.bench.run();
  rack.bench.clear();
  const std::uint64_t stored = rack.bench.count("slot.stored"), updates = rack.bench.count("clt.update");
  constexpr unsigned frames = 1'000'000;
  Tick tail = 10'000'000;
  for (unsigned i = 0; i < frames; ++i) {
    Packet* const p = make_frame(rack.bench.pool, FrameKind::write_middle, 1024, false);
    RoceHeader& h = roce(*p);
    std::uint64_t words[4];
    for (unsigned w = 0; w < 4; ++w) words[w] = random_at(3, w, i);
    std::memcpy(&h, words, sizeof h);
    h.kind = static_cast<FrameKind>(below(random_at(3, 9, i), 16));
    if (h.kind == FrameKind::pause) h.kind = FrameKind::aggregate;
    rack.bench.receive(i % 6, p, tail += 100'000);
    if (i % 64 == 63) rack.bench.run(tail), rack.bench.clear();
  }
  rack.bench.run();
  rack.bench.clear();
  CHECK(rack.bench.count("dropped") + rack.bench.count("bypassed") == frames);
  CHECK(rack.bench.count("slot.stored") == stored);
  CHECK(rack.bench.count("clt.update") == updates);
  CHECK(rack.bench.pool.live() == 0);
}
