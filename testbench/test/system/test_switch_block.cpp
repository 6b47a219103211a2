// One NvSwitch between packet sources and sinks (docs/systems/klenk.md#links-and-packets).
#include <catch2/catch.hpp>
#include <map>

#include "modules/base/random.h"
#include "testbench/harness/switch_system.h"

namespace tributary::test_switch_block {
namespace {

void start_all(SwitchSystem& s) {
  for (auto& e : s.endpoints) e->start(kernel_now() + 1'000'000);
}

/// The number of a packet: increases with `made`, and is unique to one port and VC.
std::uint64_t id_of(unsigned port, unsigned vc, std::uint64_t made) { return made * 128 + vc * 64 + port; }

/// Uniform random unicasts in both VCs from all sources, `packets` for each source and VC.
void load_randomly(SwitchSystem& s, std::uint64_t seed, std::uint64_t packets) {
  for (unsigned p = 0; p < s.endpoints.size(); ++p)
    s.endpoints[p]->source.generate = [&s, p, seed, packets, made = std::vector<std::uint64_t>(2)](unsigned vc) mutable {
      if (made[vc] == packets) return static_cast<Packet*>(nullptr);
      const std::uint64_t id = id_of(p, vc, made[vc]++);
      return s.packet(vc, p, static_cast<unsigned>(below(random_at(seed, p, id), s.endpoints.size())), id);
    };
}

}  // namespace

TEST_CASE("switch: uniform random all-to-all traffic has more than 95 % of line rate", "[block][switch]") {
  SwitchSystem s("system", {});
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  load_randomly(s, 1, ~std::uint64_t{0});
  start_all(s);
  sc_core::sc_start(17, sc_core::SC_US);
  CHECK(s.throughput(5'000'000, 17'000'000) > 0.95);
  CHECK(s.throughput(5'000'000, 17'000'000) <= 1.0);
}

TEST_CASE("switch: every packet of random traffic arrives once and in order, and nothing is left over", "[block][switch]") {
  SwitchSystem s("system", {});
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  load_randomly(s, 2, 100);
  start_all(s);
  sc_core::sc_start();
  std::map<std::tuple<unsigned, unsigned, unsigned>, std::uint64_t> last;
  std::size_t packets = 0;
  for (unsigned p = 0; p < 16; ++p)
    for (const auto& d : s.endpoints[p]->delivered) {
      ++packets;
      const auto [it, first] = last.try_emplace({p, d.source, d.vc}, d.id);
      CHECK((first || it->second < d.id));
      it->second = d.id;
    }
  CHECK(packets == 16 * 2 * 100);
  CHECK(s.device->waiting().empty());
  for (auto& e : s.endpoints) CHECK(e->port.transmitter().quiescent());
  CHECK(s.pool.live() == 0);
}

TEST_CASE("switch: with 32 ports every packet of random traffic arrives once, in order, at more than 95 % of line rate",
          "[block][switch][ports]") {
  SwitchSystem::Config config;
  config.ports = 32;
  SwitchSystem s("system", config);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  load_randomly(s, 4, 1000);
  start_all(s);
  sc_core::sc_start(12, sc_core::SC_US);  // 1000 packets of each VC last 11.5 us
  CHECK(s.throughput(4'000'000, 11'000'000) > 0.95);
  CHECK(s.throughput(4'000'000, 11'000'000) <= 1.0);
  sc_core::sc_start();
  std::map<std::tuple<unsigned, unsigned, unsigned>, std::uint64_t> last;
  std::map<unsigned, std::uint64_t> sent_to;
  for (unsigned p = 0; p < 32; ++p)
    for (unsigned vc = 0; vc < 2; ++vc)
      for (std::uint64_t i = 0; i < 1000; ++i) ++sent_to[static_cast<unsigned>(below(random_at(4, p, id_of(p, vc, i)), 32))];
  for (unsigned p = 0; p < 32; ++p) {
    CHECK(s.endpoints[p]->delivered.size() == sent_to[p]);
    for (const auto& d : s.endpoints[p]->delivered) {
      const auto [it, first] = last.try_emplace({p, d.source, d.vc}, d.id);
      CHECK((first || it->second < d.id));
      it->second = d.id;
    }
    CHECK(s.endpoints[p]->port.transmitter().quiescent());
  }
  CHECK(s.device->waiting().empty());
  CHECK(s.pool.live() == 0);
}

TEST_CASE("switch: a single packet takes 150 ns through the switch, and two links", "[block][switch]") {
  SwitchSystem s("system", {});
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const Tick start = 1'000'000;
  s.endpoints[2]->source.send(s.packet(request_vc, 2, 13, 7), start);
  s.endpoints[2]->start(start);
  sc_core::sc_start();
  REQUIRE(s.endpoints[13]->delivered.size() == 1);
  const PacketEndpoint::Delivery& d = s.endpoints[13]->delivered[0];
  // A header flit needs 16 B / 25 GB/s = 640 ps, a wire 20 ns; the other 8 flits follow.
  CHECK(d.head - start == 640 + 20'000 + 150'000 + 640 + 20'000);
  CHECK(d.tail - d.head == 8 * 640);
}

TEST_CASE("switch: latency and rates follow the parameters", "[block][switch]") {
  SwitchSystem::Config c;
  c.params.latency = 90_ns;
  c.link.latency = 7_ns;
  c.link.rate = 50_GBps;
  SwitchSystem s("system", c);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const Tick start = 700'000;
  s.endpoints[0]->source.send(s.packet(response_vc, 0, 0, 7), start);
  s.endpoints[0]->start(start);
  sc_core::sc_start();
  REQUIRE(s.endpoints[0]->delivered.size() == 1);
  CHECK(s.endpoints[0]->delivered[0].head - start == 2 * (320 + 7'000) + 90'000);
}

TEST_CASE("switch: windows and single events give the same trajectory under back-pressure", "[block][switch]") {
  SwitchSystem::Config c;
  c.params.input_buffer = 720_B;  // 5 packets: the links run dry of credits
  c.params.output_queue = 432_B;
  SwitchSystem windowed("windowed", c);
  c.windowed = false;
  SwitchSystem reference("reference", c);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (SwitchSystem* s : {&windowed, &reference}) {
    for (unsigned p = 0; p < 16; p += 3) s->endpoints[p]->credit_delay = 200'000;  // slow sinks
    load_randomly(*s, 3, 100);
    start_all(*s);
  }
  sc_core::sc_start();
  for (unsigned p = 0; p < 16; ++p) {
    const auto &a = windowed.endpoints[p]->delivered, &b = reference.endpoints[p]->delivered;
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
      REQUIRE((a[i].head == b[i].head && a[i].tail == b[i].tail && a[i].id == b[i].id && a[i].vc == b[i].vc));
  }
  CHECK(reference.device->activations() > 2 * windowed.device->activations());
}

}  // namespace tributary::test_switch_block
