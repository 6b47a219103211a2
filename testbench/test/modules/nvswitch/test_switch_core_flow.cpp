// Tests buffers, back-pressure, input disciplines and order in the switch.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <map>

#include "modules/base/random.h"
#include "testbench/test/harness/switch_bench.h"

namespace tributary::test_switch_core_flow {
namespace {

constexpr Tick hop = SwitchBench::hop, latency = SwitchBench::switch_latency;

bool arrived(const SwitchBench& b, std::uint32_t id) {
  return std::any_of(b.delivered.begin(), b.delivered.end(), [&](const auto& d) { return d.header.id == id; });
}

/// Largest value of a sum of changes, which arrive in any order of time.
struct Peak {
  std::multimap<Tick, std::int64_t> changes;
  void watch(ProbeDirectory& directory, const std::string& name) {
    static_cast<SignalProbe*>(directory.entries().at(name).probe)->attach(this, [](void* o, Tick t, std::uint64_t v) {
      static_cast<Peak*>(o)->changes.emplace(2 * t + (v >> 63), static_cast<std::int64_t>(v));  // increases first
    });
  }
  std::int64_t value() const {
    std::int64_t sum = 0, peak = 0;
    for (const auto& [t, change] : changes) peak = std::max(peak, sum += change);
    return peak;
  }
};

/// Saturates an output that the sink has closed: its far buffer, its output queue, and one packet that waits.
void block_output(SwitchBench& b, unsigned from, unsigned output, unsigned vc) {
  b.closed_sinks |= 1u << output;
  for (unsigned i = 0; i < 3; ++i) b.send(from, b.packet(vc, 1u << output), b.now());
  b.run(b.now() + 400'000);
}

SwitchBench::Config one_packet_queues(bool voq) {
  SwitchBench::Config c;
  c.virtual_output_queues = voq;
  c.output_flits = c.sink_flits = 9;
  return c;
}

}  // namespace

TEST_CASE("with one FIFO per VC, a packet for a blocked output blocks its successors", "[pure][switch]") {
  SwitchBench b(one_packet_queues(false));
  block_output(b, 0, 1, request_vc);
  Packet* behind = b.packet(request_vc, 1u << 2);
  Packet* other_vc = b.packet(response_vc, 1u << 2);
  Packet* other_port = b.packet(request_vc, 1u << 2);
  const std::uint32_t first = behind->header<TestHeader>().id;
  b.send(0, behind, b.now());
  b.send(0, other_vc, b.now());
  b.send(3, other_port, b.now());
  b.run(b.now() + 1'000'000);
  CHECK_FALSE(arrived(b, first));
  CHECK(arrived(b, first + 1));
  CHECK(arrived(b, first + 2));
  b.open_sinks();
  REQUIRE(b.run_dry());
  CHECK(arrived(b, first));
}

TEST_CASE("with virtual output queues, packets for other outputs pass", "[pure][switch]") {
  SwitchBench b(one_packet_queues(true));
  block_output(b, 0, 1, request_vc);
  Packet* behind = b.packet(request_vc, 1u << 2);
  const std::uint32_t id = behind->header<TestHeader>().id;
  b.send(0, behind, b.now());
  b.run(b.now() + 1'000'000);
  CHECK(arrived(b, id));
  b.open_sinks();
  REQUIRE(b.run_dry());
}

TEST_CASE("a VC that is blocked at an output does not block the other VC", "[pure][switch]") {
  SwitchBench b(one_packet_queues(GENERATE(true, false)));
  block_output(b, 0, 1, request_vc);
  Packet* response = b.packet(response_vc, 1u << 1);
  const std::uint32_t id = response->header<TestHeader>().id;
  const Tick start = b.now();
  b.send(0, response, start);
  b.run(start + 400'000);
  REQUIRE(b.delivered.back().header.id == id);
  CHECK(b.delivered.back().head == start + 2 * hop + latency);
  b.open_sinks();
  REQUIRE(b.run_dry());
}

TEST_CASE("with a closed sink the buffers fill exactly, without a packet more", "[pure][switch]") {
  SwitchBench::Config c;
  c.virtual_output_queues = GENERATE(true, false);
  c.input_flits = 45;
  c.output_flits = 27;
  c.sink_flits = 18;
  SwitchBench b(c);
  b.closed_sinks = 1u << 1;
  unsigned made = 0;
  b.source = [&](unsigned port, unsigned vc) -> Packet* {
    if (port != 0 || vc != request_vc || made == 100) return nullptr;
    ++made;
    return b.packet(vc, 1u << 1);
  };
  b.run(5'000'000);
  // 2 packets in the sink, 3 in the output queue, 5 in the input buffer, and 2 at the source.
  CHECK(b.delivered.size() == 2);
  CHECK(made == 12);
  CHECK(b.source_link(0).queued_packets(request_vc) == 2);
  const std::vector<std::string> lines = b.core().waiting();
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] == "port0.input.vc0: 5 packets, wait for output 1");
  CHECK(lines[1] == "port1.output: vc0: 3 packets queued, 18 of 18 credits held");
  b.open_sinks();
  REQUIRE(b.run_dry());
  CHECK(b.delivered.size() == 100);
}

TEST_CASE("no queue ever holds more than its size", "[pure][switch]") {
  SwitchBench::Config c;
  c.virtual_output_queues = GENERATE(true, false);
  c.input_flits = 45;
  c.output_flits = 31;
  SwitchBench b(c);
  ProbeDirectory directory;
  b.core().describe(directory, "s");
  std::array<Peak, 8> peaks;
  for (unsigned p = 0; p < 4; ++p)
    for (unsigned vc = 0; vc < 2; ++vc)
      peaks[p * 2 + vc].watch(directory, "s.port" + std::to_string(p) + ".output.vc" + std::to_string(vc) + ".flits");
  std::uint64_t n = 0;
  b.source = [&](unsigned, unsigned vc) -> Packet* {
    if (n == 2000) return nullptr;
    const std::uint64_t r = random_at(1, vc, ++n);
    return b.packet(vc, r % 3 == 0 ? static_cast<std::uint32_t>(1 + below(r * 7, 15)) : 1u << (r >> 8) % 4, Exit::link,
                    static_cast<unsigned>(below(mix64(r), 129)));
  };
  REQUIRE(b.run_dry());
  for (const Peak& peak : peaks) {
    CHECK(peak.value() <= 31);
    CHECK(peak.value() >= 18);  // the test has filled it
  }
  CHECK(b.returned.size() == 2000);
  CHECK(b.pool.live() == 0);
}

TEST_CASE("packets of one link, VC and output keep their order", "[pure][switch]") {
  SwitchBench::Config c;
  c.virtual_output_queues = GENERATE(true, false);
  c.input_flits = GENERATE(18u, 306u);
  SwitchBench b(c);
  std::uint64_t n = 0;
  b.source = [&](unsigned port, unsigned vc) -> Packet* {
    if (n == 3000) return nullptr;
    const std::uint64_t r = random_at(2, port * 2 + vc, ++n);
    return b.packet(vc, r % 5 == 0 ? static_cast<std::uint32_t>(1 + below(r * 3, 0xFFFE)) : 1u << (r >> 8) % 16, Exit::link,
                    r % 2 == 0 ? 128 : 0);
  };
  REQUIRE(b.run_dry());
  std::map<std::tuple<unsigned, unsigned, unsigned>, std::uint32_t> last;
  unsigned out_of_order = 0;
  for (const auto& d : b.delivered) {
    const auto [it, first] = last.try_emplace({d.header.source, d.vc, d.port}, d.header.id);
    if (!first && it->second >= d.header.id) ++out_of_order;
    it->second = d.header.id;
  }
  CHECK(out_of_order == 0);
  CHECK(b.delivered.size() > 3000);
}

TEST_CASE("buffer space is returned once for each packet, and not before it has left", "[pure][switch]") {
  SwitchBench::Config c;
  c.virtual_output_queues = GENERATE(true, false);
  SwitchBench b(c);
  for (unsigned i = 0; i < 20; ++i) b.send(i % 4, b.packet(i / 4 % 2, 1u << 9, Exit::link, i < 4 ? 128 : 0), 0);
  REQUIRE(b.run_dry());
  std::map<std::pair<unsigned, unsigned>, unsigned> flits;
  for (const auto& r : b.returned) flits[{r.port, r.vc}] += r.flits;
  REQUIRE(flits.size() == 8);
  for (unsigned p = 0; p < 4; ++p) CHECK((flits.at({p, 0}) == 9 + 1 + 1 && flits.at({p, 1}) == 2));
  // The first packet crosses as its flits arrive; the last one arrives 8 flits after the header.
  CHECK(b.returned[0].when == hop + latency + 8 * SwitchBench::flit_time);
}

TEST_CASE("reset empties the switch at any moment, and a second run repeats the first", "[pure][switch]") {
  SwitchBench::Config c;
  c.input_flits = 45;
  c.output_flits = 27;
  SwitchBench b(c);
  const auto run = [&](Tick until) {
    std::uint64_t n = 0;
    b.source = [&, n](unsigned, unsigned vc) mutable {
      const std::uint64_t r = random_at(3, vc, ++n);
      return b.packet(vc, r % 4 == 0 ? 0x00F0u : 1u << (r >> 8) % 16, r % 7 == 0 ? Exit::stage : Exit::link);
    };
    b.run(until);
    std::vector<Tick> heads;
    for (const auto& d : b.delivered) heads.push_back(d.head);
    b.reset();
    return heads;
  };
  const std::vector<Tick> first = run(2'000'000);
  CHECK(b.pool.live() == 0);
  CHECK(b.core().waiting().empty());
  run(731'111);
  CHECK(b.pool.live() == 0);
  CHECK(run(2'000'000) == first);
  CHECK(first.size() > 1000);
}

}  // namespace tributary::test_switch_core_flow
