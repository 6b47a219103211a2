// Latency and interval of the parts of an accelerator, by arithmetic: latency delays a result once and takes nothing from
// the rate, an interval keeps a part busy.
#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "testbench/test/harness/accelerator_rack.h"

namespace tributary::test_part_times {
namespace {

constexpr Tick cycle = AcceleratorBench::cycle, start = 1000 * cycle;
constexpr unsigned hosts = 6;

/// A part of the model with other times, which it takes in turn.
template <class Transaction>
struct Timed : PartPort<Transaction> {
  explicit Timed(PartPort<Transaction>& p) : part(p) {}
  Tick access(Transaction& t) override {
    requests.push_back(t.now);
    const AccessTime extra = times[requests.size() % times.size()];
    t.timing.interval += extra.interval;
    return part.access(t) + extra.latency;
  }
  PartPort<Transaction>& part;
  std::vector<AccessTime> times{AccessTime{}};
  std::vector<Tick> requests = {};
};

struct TimedPayloads : PayloadPort {
  AccessTime write(std::uint64_t address, const std::byte* data, unsigned bytes, Tick now) override {
    buffer.write(address, data, bytes, now);
    return write_time;
  }
  AccessTime read(std::uint64_t address, std::byte* data, unsigned bytes, Tick now) override {
    buffer.read(address, data, bytes, now);
    return read_time;
  }
  PayloadBuffer buffer;
  AccessTime write_time, read_time;
};

/// An accelerator of six hosts all parts of which have times of their own.
struct Rack {
  Rack() {
    bench.core = std::make_unique<AcceleratorCore>(
        AcceleratorCore::Config{}, AcceleratorCore::Parts{icrc, clt, state, ctt, headers, payloads, combinator},
        *bench.links, bench.pool);
    frames.message_packets = 64;
    bench.core->begin({frames.ring()}, true);
  }
  /// All hosts send packets of one message, `apart` picoseconds apart.
  void send(unsigned packets, Tick apart) {
    const Payload data(1024);
    for (unsigned o = 0; o < packets; ++o)
      for (unsigned r = 0; r < hosts; ++r)
        bench.receive(r, frames.gradient(bench.pool, r, 0, o, data.data()), start + o * apart);
    bench.run();
  }
  /// Returns the times at which results leave a port, from that of the first one with the model's own parts.
  std::vector<std::int64_t> results(unsigned port = 0) const {
    std::vector<std::int64_t> all;
    for (const auto& s : bench.sent)
      if (s.port == port) all.push_back(static_cast<std::int64_t>(s.start) - static_cast<std::int64_t>(start + 64 * cycle));
    return all;
  }
  bool in_order() const {
    std::vector<std::uint32_t> next(hosts);
    for (const auto& s : bench.sent)
      if (roce(*s.frame).psn != frames.psn(s.port, 0, next[s.port]++)) return false;
    return true;
  }

  RingFrames frames{};
  AcceleratorBench bench{hosts};
  Timed<IcrcTransaction> icrc{bench.icrc};
  Timed<ClTransaction> clt{bench.connections};
  Timed<SlotTransaction> state{bench.slots};
  Timed<CtTransaction> ctt{bench.translations};
  Timed<HeaderTransaction> headers{bench.headers};
  Timed<CombineTransaction> combinator{bench.combinator};
  TimedPayloads payloads;
};

using Set = std::function<void(Rack&, AccessTime)>;
/// The parts of the path of a frame, by name.
const std::vector<std::pair<const char*, Set>>& parts() {
  static const std::vector<std::pair<const char*, Set>> all{
      {"icrc", [](Rack& r, AccessTime t) { r.icrc.times = {t}; }},
      {"clt", [](Rack& r, AccessTime t) { r.clt.times = {t}; }},
      {"state", [](Rack& r, AccessTime t) { r.state.times = {t}; }},
      {"headers", [](Rack& r, AccessTime t) { r.headers.times = {t}; }},
      {"payloads, write", [](Rack& r, AccessTime t) { r.payloads.write_time = t; }},
      {"payloads, read", [](Rack& r, AccessTime t) { r.payloads.read_time = t; }},
      {"combinator", [](Rack& r, AccessTime t) { r.combinator.times = {t}; }}};
  return all;
}

std::int64_t edges(Tick latency) { return static_cast<std::int64_t>((latency + cycle - 1) / cycle * cycle); }

}  // namespace

TEST_CASE("part times: n requests at once last (n - 1) x (a cycle and the interval) and the latency", "[pure][netreduce]") {
  const AcceleratorClock clock(cycle);
  for (const AccessTime time :
       {AccessTime{0, 0}, AccessTime{1, 0}, AccessTime{1'000'000, 0}, AccessTime{0, 2 * cycle}, AccessTime{10'000, 1}}) {
    PartTimes part(clock);
    const Tick next = time.interval == 0 ? 0 : clock.edge(cycle + time.interval);
    for (Tick n = 0; n < 10; ++n) {
      const Tick begin = part.accepts(0);
      CHECK(begin == n * next);
      CHECK(part.answers(begin, cycle, time) == n * next + time.latency);
    }
  }
}

TEST_CASE("part times: answers are in the order of their requests", "[pure][netreduce]") {
  const AcceleratorClock clock(cycle);
  PartTimes part(clock);
  CHECK(part.answers(0, cycle, {500'000, 0}) == 500'000);
  CHECK(part.answers(cycle, cycle, {}) == 500'000);
  CHECK(part.answers(2 * cycle, cycle, {1'000'000, 0}) == 1'000'000 + 2 * cycle);
  CHECK(part.answers(0, cycle, {10, 0}) == 10);  // a request of another ring, whose sum has left earlier
  CHECK(part.answers(3 * cycle, cycle, {}) == 1'000'000 + 2 * cycle);
  part.clear();
  CHECK(part.answers(0, cycle, {}) == 0);
}

TEST_CASE("part times: the latency of each part delays all results once, and their rate stays", "[pure][netreduce]") {
  constexpr unsigned packets = 20;
  constexpr Tick apart = 89'760;  // 1122 B at 100 Gb/s
  Rack model;
  model.send(packets, apart);
  const std::vector<std::int64_t> before = model.results();
  REQUIRE(before.size() == packets);
  CHECK(before[0] == 0);
  for (const auto& [name, set] : parts())
    for (const Tick latency : {Tick{0}, Tick{1}, cycle, Tick{10'000}, Tick{1'000'000}}) {
      INFO(name << " " << latency);
      Rack rack;
      set(rack, {latency, 0});
      rack.send(packets, apart);
      std::vector<std::int64_t> late = before;
      for (std::int64_t& t : late) t += edges(latency);
      CHECK(rack.results() == late);
      CHECK(rack.results(5) == late);
      CHECK(rack.in_order());
      CHECK(rack.bench.core->waiting().empty());
    }
  Rack all;
  for (const auto& [name, set] : parts()) set(all, {10'000, 0});
  all.send(packets, apart);
  // ICRC, CLT, state and write end at a clock edge each; then read and combinator together, and the headers.
  CHECK(all.results().front() == 4 * edges(10'000) + edges(20'000) + edges(10'000));
  CHECK(all.results().back() - before.back() == all.results().front());
}

// Packets of all hosts arrive faster than the parts accept them. Before its interval a part is busy for a cycle, a bank for
// the 16 beats of a payload, and a unit of the combinator for these and a cycle.
TEST_CASE("part times: an interval keeps a part busy until the next request", "[pure][netreduce]") {
  constexpr unsigned packets = 10;
  constexpr Tick interval = 100 * cycle;
  constexpr std::int64_t once = 101 * cycle, slot = hosts * once;
  const auto results = [&](const char* part, unsigned port = 0) {
    Rack rack;
    for (const auto& [name, set] : parts())
      if (std::string(name) == part) set(rack, {0, interval});
    rack.send(packets, cycle);
    CHECK(rack.in_order());
    return rack.results(port);
  };
  const auto check = [&](const char* part, std::int64_t first, std::int64_t apart) {
    INFO(part);
    std::vector<std::int64_t> expected;
    for (unsigned o = 0; o < packets; ++o) expected.push_back(first + o * apart);
    CHECK(results(part) == expected);
  };
  // The last of six requests is accepted five intervals after the first one.
  check("icrc", 5 * once, slot);
  check("clt", 5 * once, slot);
  check("state", 5 * once, slot);
  check("payloads, write", 0, 116 * cycle);
  check("payloads, read", 0, 116 * cycle);
  check("combinator", 0, 117 * cycle);
  check("headers", 0, slot);
  CHECK(results("headers", 5).front() == 5 * once);
}

TEST_CASE("part times: sums of a ring leave in the order of their commits", "[pure][netreduce]") {
  Rack rack;
  rack.combinator.times = {{0, 0}, {1'000'000, 0}};  // 1 us for the first sum, 0 for the second
  rack.send(2, 17 * cycle);
  CHECK(rack.in_order());
  CHECK(rack.results() == std::vector<std::int64_t>{edges(1'000'000), edges(1'000'000) + 89'760});
}

TEST_CASE("part times: requests of a busy part are made at the clock edges at which it accepts them", "[pure][netreduce]") {
  Rack rack;
  rack.clt.times = {{0, 1}};
  rack.send(1, 0);
  REQUIRE(rack.clt.requests.size() == hosts);
  for (unsigned i = 0; i < hosts; ++i) CHECK(rack.clt.requests[i] == rack.clt.requests[0] + i * 2 * cycle);
}

}  // namespace tributary::test_part_times
