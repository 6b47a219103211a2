// EthernetSwitchCore under load: pauses, and drops and marks against a model that processes one frame after another.
#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <tuple>
#include <utility>

#include "modules/base/random.h"
#include "testbench/test/harness/ethernet_switch_bench.h"

namespace tributary::test_ethernet_switch_load {

using Bench = EthernetSwitchBench;

namespace {

constexpr Tick frame = 88'480, head = 5'760, wire = Bench::link_latency, through = 300'000;

struct Load {
  unsigned from, to;
  std::uint64_t id;
  Tick ready;  // at the station, which is then idle
  unsigned payload;
};
constexpr unsigned on_wire(const Load& l) { return EthernetFrame::wire_bytes(FrameKind::write_middle, l.payload); }

/// Returns frames of random sizes, most of them to a few stations.
std::vector<Load> random_load(unsigned ports, unsigned frames, std::uint64_t seed) {
  std::vector<Load> load;
  for (unsigned p = 0; p < ports; ++p) {
    Tick ready = 1'000'000 + random_at(seed, p, 0) % 50'000;
    for (unsigned i = 0; i < frames; ++i) {
      const std::uint64_t r = random_at(seed, p, i + 1);
      const auto to = static_cast<unsigned>(r % 4 != 0 ? r / 4 % 2 : r / 4 % ports);
      load.push_back({p, to, p * 10'000ull + i, ready, static_cast<unsigned>(64 + (r >> 20) % 1400)});
      ready += on_wire(load.back()) * 80 + (r >> 40) % 60'000;
    }
  }
  return load;
}

/// A switch with one class that processes frames one by one, with exact occupancy. Returns the ids of frames that leave,
/// with the time at which each ends at its station.
struct Model {
  std::map<std::uint64_t, Tick> out;
  std::uint64_t dropped = 0, most = 0;
  Model(std::vector<Load> load, unsigned ports, std::uint64_t bytes) {
    std::stable_sort(load.begin(), load.end(),
                     [](const Load& a, const Load& b) { return std::tie(a.ready, a.from) < std::tie(b.ready, b.from); });
    struct Here {
      Tick start;
      unsigned bytes;
    };
    std::vector<std::deque<Here>> queues(ports);
    std::vector<Tick> free(ports);
    std::vector<std::uint64_t> held(ports);
    std::uint64_t used = 0;
    for (const Load& l : load) {
      const Tick now = l.ready + head + wire + through;
      for (unsigned o = 0; o < ports; ++o)
        for (; !queues[o].empty() && queues[o].front().start < now; queues[o].pop_front())
          held[o] -= queues[o].front().bytes, used -= queues[o].front().bytes;
      const unsigned size = on_wire(l) - 20;
      if (held[l.to] + size > bytes - used || size > bytes - used) {
        ++dropped;
        continue;
      }
      const Tick start = std::max(now, free[l.to]);
      free[l.to] = start + on_wire(l) * 80;
      out[l.id] = free[l.to] + wire;
      queues[l.to].push_back({start, size});
      held[l.to] += size, used += size;
      most = std::max(most, used);
    }
  }
};

EthernetSwitchConfig with_pfc(unsigned ports, std::uint64_t bytes, std::uint64_t headroom) {
  EthernetSwitchConfig config = Bench::plain(ports);
  config.lossless = 1u << roce_class;
  config.buffer.bytes = bytes;
  config.buffer.pfc_alpha = 0.125;
  config.buffer.reserve = 4096;
  config.buffer.resume = 3072;
  config.buffer.headroom.assign(ports, headroom);
  return config;
}
constexpr PfcPath path{100_Gbps, wire, Bench::reaction, through, 1106, true};

/// All stations but the last send `frames` frames each to the last one.
void incast(Bench& bench, unsigned ports, unsigned frames) {
  for (unsigned p = 0; p + 1 < ports; ++p)
    for (unsigned i = 0; i < frames; ++i) bench.send(p, ports - 1, p * 10'000 + i, 1'000'000 + p);
}

}  // namespace

TEST_CASE("Ethernet switch under load: an incast fills its output, and each frame is delivered or dropped",
          "[pure][ethernet_switch]") {
  EthernetSwitchConfig config = Bench::plain(9);
  config.buffer.bytes = 200 * 1086;
  Bench bench(config);
  incast(bench, 9, 300);
  bench.run(400'000'000);
  const auto out = bench.at(8);
  const auto& counters = bench.core->counters();
  CHECK(counters.received == 2'400);
  CHECK(counters.dropped == 2'400 - out.size());
  CHECK(out.size() > 300 + 90);  // frames that the line carries meanwhile, plus the contents of the buffer
  CHECK(out.size() < 300 + 110);
  for (std::size_t i = 1; i < out.size(); ++i) REQUIRE(out[i].tail - out[i - 1].tail == frame);
  CHECK(bench.core->quiescent());
  CHECK(bench.pool.live() == 0);
}

TEST_CASE("Ethernet switch under load: the same frames are dropped as in a model with exact occupancy",
          "[pure][ethernet_switch]") {
  constexpr unsigned ports = 12, frames = 400;
  for (const std::uint64_t bytes : {30'000ull, 120'000ull, 500'000ull}) {
    const std::vector<Load> load = random_load(ports, frames, bytes);
    const Model model(load, ports, bytes);
    EthernetSwitchConfig config = Bench::plain(ports);
    config.buffer.bytes = bytes;
    for (const Tick step : {Tick{17'000}, Tick{400'000}}) {
      Bench bench(config);
      for (const Load& l : load) bench.send(l.from, l.to, l.id, l.ready, roce_class, l.payload);
      bench.run(400'000'000, step);
      std::map<std::uint64_t, Tick> out;
      for (const auto& d : bench.delivered) out[d.id] = d.tail;
      CHECK(bench.core->counters().dropped == model.dropped);
      CHECK((bytes > 400'000 || model.dropped > 100));
      CHECK(out == model.out);
      CHECK(bench.core->quiescent());
    }
  }
}

TEST_CASE("Ethernet switch under load: with sufficient headroom an incast loses nothing, and the line stays busy",
          "[pure][ethernet_switch]") {
  constexpr unsigned ports = 9, frames = 300;
  const std::uint64_t bytes = 8 * (4096 + pfc_headroom(path)) + 200'000;
  for (const bool cut_through : {true, false}) {
    PfcPath same = path;
    same.cut_through = cut_through;
    EthernetSwitchConfig config = with_pfc(ports, bytes + 100'000, pfc_headroom(same));
    config.cut_through = cut_through;
    Bench bench(config);
    incast(bench, ports, frames);
    bench.run(400'000'000);
    const auto out = bench.at(ports - 1);
    const auto& counters = bench.core->counters();
    REQUIRE(out.size() == 8 * frames);
    CHECK(counters.dropped == 0);
    CHECK(counters.pauses_sent >= 8);
    CHECK(counters.resumes_sent == counters.pauses_sent);
    CHECK(bench.pauses.size() == counters.pauses_sent + counters.resumes_sent);
    for (std::size_t i = 1; i < out.size(); ++i) REQUIRE(out[i].tail - out[i - 1].tail == frame);
    CHECK(bench.core->quiescent());
    CHECK(bench.pool.live() == 0);
  }
}

TEST_CASE("Ethernet switch under load: the headroom is used, and without it frames are lost", "[pure][ethernet_switch]") {
  constexpr unsigned ports = 9;
  Bench bench(with_pfc(ports, 1'000'000, 0));
  incast(bench, ports, 300);
  bench.run(400'000'000);
  CHECK(bench.core->counters().dropped > 0);
  CHECK(bench.core->counters().pauses_sent > 0);
  CHECK(bench.at(8).size() + bench.core->counters().dropped == 8 * 300);
  CHECK(bench.core->quiescent());
}

TEST_CASE("Ethernet switch under load: with a third less headroom frames are lost", "[pure][ethernet_switch]") {
  constexpr unsigned ports = 9;
  Bench bench(with_pfc(ports, 1'000'000, pfc_headroom(path) * 2 / 3));
  incast(bench, ports, 300);
  bench.run(400'000'000);
  CHECK(bench.core->counters().dropped > 0);
}

TEST_CASE("Ethernet switch under load: a pause is sent again before it expires", "[pure][ethernet_switch]") {
  constexpr unsigned ports = 5;
  EthernetSwitchConfig config = with_pfc(ports, 500'000, pfc_headroom(path));
  config.pfc.quanta = 300;  // 1.5 us
  Bench bench(config);
  incast(bench, ports, 300);
  bench.run(400'000'000);
  CHECK(bench.core->counters().dropped == 0);
  CHECK(bench.pauses.size() > bench.core->counters().pauses_sent + bench.core->counters().resumes_sent);
  CHECK(bench.at(4).size() == 4 * 300);
}

TEST_CASE("Ethernet switch under load: other classes do not stop for a pause", "[pure][ethernet_switch]") {
  constexpr unsigned ports = 5;
  Bench bench(with_pfc(ports, 500'000, pfc_headroom(path)));
  incast(bench, ports, 300);
  for (unsigned i = 0; i < 200; ++i) bench.send(0, 1, i, 1'000'000 + i * 200'000, background_class, 64);
  bench.run(400'000'000);
  const auto out = bench.at(1);
  REQUIRE(out.size() == 200);
  for (const auto& d : out) CHECK(d.tail < 1'000'000 + d.id * 200'000 + 2 * frame + 2 * wire + through + head + 10'000);
  CHECK(bench.core->counters().pauses_sent > 0);
}

TEST_CASE("Ethernet switch under load: the steps of the simulation do not affect results, with and without pauses",
          "[pure][ethernet_switch]") {
  constexpr unsigned ports = 10;
  constexpr std::uint64_t apart = ports * (25'000 + 4'096);  // reserves and headrooms of one class
  for (const auto& [lossless, bytes] :
       {std::pair{0u, 80'000ull}, {1u << roce_class, apart + 130'000}, {0xEu, 3 * apart + 130'000}})
    for (const bool cut_through : {true, false}) {
      EthernetSwitchConfig config = with_pfc(ports, bytes, 25'000);
      config.lossless = lossless;
      config.cut_through = cut_through;
      config.rates[2] = 40_Gbps;
      config.pfc.quantum[2] = 12'800;
      config.ecn = {true, 10'000, 60'000, 0.5, 11};
      std::vector<std::vector<Bench::Delivered>> first;
      for (const Tick step : {Tick{3'300}, Tick{60'000}, Tick{490'000}}) {
        Bench bench(config);
        for (const Load& l : random_load(ports, 200, 5)) {
          const auto traffic_class = static_cast<unsigned>(l.id % 4);
          roce(*bench.send(l.from, l.to, l.id, l.ready, traffic_class, l.payload)).ecn =
              static_cast<unsigned>(Ecn::capable) & 3u;
        }
        bench.run(300'000'000, step);
        std::vector<std::vector<Bench::Delivered>> out;
        for (unsigned p = 0; p < ports; ++p) out.push_back(bench.at(p));
        const auto& c = bench.core->counters();
        CHECK(c.received == ports * 200);
        CHECK(c.received == c.forwarded + c.dropped + c.fcs_errors);
        CHECK(c.sent == c.forwarded);
        CHECK(c.marked > 0);
        CHECK((lossless == 0 || c.pauses_sent > 0));
        CHECK(bench.core->quiescent());
        CHECK(bench.pool.live() == 0);
        if (first.empty()) first = out;
        CHECK((out == first));
      }
    }
}

TEST_CASE("Ethernet switch under load: a reset restores the initial state", "[pure][ethernet_switch]") {
  Bench bench(with_pfc(5, 500'000, pfc_headroom(path)));
  incast(bench, 5, 100);
  bench.run(5'000'000);
  CHECK(!bench.core->quiescent());
  CHECK(!bench.core->waiting().empty());
  bench.core->reset();
  bench.links->reset();
  for (auto& station : bench.stations) station->reset();
  CHECK(bench.core->quiescent());
  CHECK(bench.core->waiting().empty());
  CHECK(bench.core->counters().received == 0);
}

}  // namespace tributary::test_ethernet_switch_load
