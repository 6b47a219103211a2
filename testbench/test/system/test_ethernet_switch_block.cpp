// An Ethernet switch and its stations as modules: both modes, pauses over real links, a user's access list.
#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "modules/base/parameter_set.h"
#include "modules/base/random.h"
#include "modules/ethernet_switch/ethernet_switch.h"
#include "testbench/test/harness/datagram_station.h"

namespace tributary::test_ethernet_switch_block {

using Catch::Matchers::Contains;

namespace {

constexpr Tick latency = 10'000, frame = 88'480, head = 5'760, through = 300'000, begin = 2'000'000;
const EthernetDevice::PortConfig port{100_Gbps, picoseconds(latency), 500'000};

/// A switch with a station at each port.
struct Star {
  Star(const std::string& name, bool windowed, EthernetSwitch::Config config, unsigned ports) {
    config.ports.assign(ports, port);
    for (unsigned p = 0; p < ports; ++p) config.routes.set(static_cast<std::uint16_t>(p), {p});
    hub = std::make_unique<EthernetSwitch>((name + "_switch").c_str(), config, pool);
    if (windowed) hub->set_windows(Windows::of(latency, through, 1'000'000, {1, 2}));
    for (unsigned p = 0; p < ports; ++p) {
      stations.push_back(std::make_unique<DatagramStation>((name + "_station" + std::to_string(p)).c_str(), port, pool));
      if (windowed) stations[p]->set_windows(Windows::of(latency, through, 1'000'000, {0, 2}));
      const LinkEnd a = hub->link_end(p), b = stations[p]->link_end(0);
      a.out.bind(b.in);
      b.out.bind(a.in);
    }
  }
  void send(unsigned from, unsigned to, std::uint64_t id, Tick ready, FrameKind kind = FrameKind::write_middle,
            unsigned traffic_class = roce_class, unsigned payload = 1024) {
    Packet* const p = make_frame(pool, kind, payload, false);
    p->vc = static_cast<std::uint8_t>(traffic_class);
    RoceHeader& h = roce(*p);
    h.source = static_cast<std::uint16_t>(from);
    h.destination = static_cast<std::uint16_t>(to);
    h.address = id;
    h.ecn = static_cast<unsigned>(Ecn::capable) & 3u;
    stations[from]->send(p, ready);
    ++sent;
  }
  /// Checks that nothing is pending, and that every frame sent has arrived or been dropped.
  void check_end() const {
    std::uint64_t arrived = 0;
    for (const auto& s : stations) {
      arrived += s->arrived.size();
      CHECK(s->waiting().empty());
    }
    CHECK(arrived + hub->core().counters().dropped == sent);
    CHECK(hub->waiting().empty());
    CHECK(hub->core().quiescent());
    CHECK(pool.live() == 0);
  }
  PacketPool pool{EthernetLink{}};
  std::unique_ptr<EthernetSwitch> hub;
  std::vector<std::unique_ptr<DatagramStation>> stations;
  std::uint64_t sent = 0;
};

void random_traffic(Star& star, unsigned ports, std::uint64_t seed) {
  for (unsigned p = 0; p < ports; ++p)
    for (unsigned i = 0; i < 150; ++i) {
      const std::uint64_t r = random_at(seed, p, i);
      const auto to = static_cast<unsigned>(r % 3 != 0 ? r / 3 % 2 : r / 3 % ports);
      const bool ack = r >> 20 & 1u;
      star.send(p, to, i, begin + i * 20'000 + (r >> 32) % 100'000, ack ? FrameKind::ack : FrameKind::write_middle,
                ack              ? control_class
                : (r >> 21 & 1u) ? roce_class
                                 : background_class,
                ack ? 0 : static_cast<unsigned>((r >> 22) % 1400));
    }
}

void check_equal(const Star& windowed, const Star& reference) {
  for (std::size_t p = 0; p < windowed.stations.size(); ++p) {
    CHECK((windowed.stations[p]->arrived == reference.stations[p]->arrived));
    CHECK(windowed.stations[p]->pauses == reference.stations[p]->pauses);
  }
  const auto &a = windowed.hub->core().counters(), &b = reference.hub->core().counters();
  CHECK(a.dropped == b.dropped);
  CHECK(a.marked == b.marked);
  CHECK(a.pauses_sent == b.pauses_sent);
  windowed.check_end();
  reference.check_end();
}

/// An access list with a rule of its own, which redirects only after some time.
class OwnList : public AccessListModule {
 public:
  explicit OwnList(const sc_core::sc_module_name& name) : AccessListModule(name) {}
  std::vector<std::string> waiting() const override { return {}; }
  void reset() override {}
  void describe(ProbeDirectory&, const std::string&) override {}
  unsigned rules = 0;
  std::vector<Tick> asked;

 private:
  void b_transport(AccessTransaction& t, sc_core::sc_time& delay) override {
    if (t.command == AccessTransaction::Command::add) ++rules;
    if (t.command != AccessTransaction::Command::classify) return;
    asked.push_back(t.now);
    if (roce(*t.frame).address % 2 == 1) t.redirect = 2;
    delay += sc_core::sc_time(40, sc_core::SC_NS);
  }
};

}  // namespace

TEST_CASE("Ethernet switch block: windows and events agree on random traffic that fills a small buffer",
          "[block][ethernet_switch]") {
  EthernetSwitch::Config config;
  config.params.buffer = 64_KiB;
  config.params.ecn = {true, 4_KiB, 24_KiB, 0.5};
  Star windowed("windowed", true, config, 20), reference("reference", false, config, 20);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  random_traffic(windowed, 20, 1);
  random_traffic(reference, 20, 1);
  sc_core::sc_start();
  check_equal(windowed, reference);
  CHECK(windowed.hub->core().counters().dropped > 0);
  CHECK(windowed.hub->core().counters().marked > 0);
  CHECK(windowed.hub->activations() * 4 < reference.hub->activations());
}

TEST_CASE(
    "Ethernet switch block: windows and events agree on random traffic with pauses of all data classes, and nothing is lost",
    "[block][ethernet_switch]") {
  EthernetSwitch::Config config;
  config.params.buffer = bytes(850'000);
  config.params.pfc.on = true;
  config.params.pfc.classes = PfcClasses::data;
  config.params.forwarding = SwitchingMode::store_and_forward;
  config.largest_frame = 1482;
  Star windowed("windowed", true, config, 12), reference("reference", false, config, 12);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  random_traffic(windowed, 12, 2);
  random_traffic(reference, 12, 2);
  sc_core::sc_start();
  check_equal(windowed, reference);
  CHECK(windowed.hub->core().counters().dropped == 0);
  CHECK(windowed.hub->core().counters().pauses_sent > 0);
}

TEST_CASE("Ethernet switch block: an incast of sources is right with pauses and without", "[block][ethernet_switch]") {
  EthernetSwitch::Config lossless;
  lossless.params.buffer = 512_KiB;
  lossless.params.pfc.on = true;
  lossless.params.pfc.classes = PfcClasses::data;
  lossless.largest_frame = 1482;
  EthernetSwitch::Config lossy = lossless;
  lossy.params.pfc.on = false;
  Star paused("paused", true, lossless, 6), paused_events("paused_events", false, lossless, 6);
  Star dropped("dropped", true, lossy, 6), dropped_events("dropped_events", false, lossy, 6);
  const std::vector<Star*> all{&paused, &paused_events, &dropped, &dropped_events};
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (Star* star : all)
    for (std::uint16_t p = 0; p < 5; ++p) {
      DatagramSource::Config source;
      source.station = p;
      source.destinations = {5};
      source.rate = 80_Gbps;
      source.gaps = DatagramSource::Gaps::random;
      source.count = source.queue = 600;  // all frames that a pause holds back wait
      source.seed = 3;
      star->stations[p]->start(source, begin);
      star->sent += source.count;
    }
  sc_core::sc_start();
  check_equal(paused, paused_events);
  check_equal(dropped, dropped_events);
  CHECK(paused.stations[5]->arrived.size() == 3'000);
  CHECK(paused.stations[0]->pauses > 0);
  CHECK(dropped.hub->core().counters().dropped > 1'000);
}

TEST_CASE("Ethernet switch block: a frame has the latency of its path and rule, and names are hierarchical",
          "[block][ethernet_switch]") {
  EthernetSwitch::Config config;
  config.rules = {detour_rule(0, 1, {}, 2)};
  Star star("star", true, config, 4);
  ProbeDirectory directory;
  star.hub->describe(directory);
  for (const char* name :
       {"star_switch.buffer.used", "star_switch.drops", "star_switch.access_list.hits", "star_switch.port3.input.arrived"})
    CHECK(directory.entries().count(name) == 1);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  star.hub->add_rule(detour_rule(1, 0, {}, 3));
  star.send(0, 1, 7, begin);
  star.send(1, 0, 8, begin);
  star.send(3, 1, 9, begin);
  sc_core::sc_start();
  REQUIRE(star.stations[2]->arrived.size() == 1);
  REQUIRE(star.stations[1]->arrived.size() == 1);
  CHECK(star.stations[2]->arrived[0].tail == begin + head + latency + through + frame + latency);
  CHECK(star.stations[3]->arrived[0].id == 8);
  CHECK(star.stations[1]->arrived[0].id == 9);
  CHECK(star.hub->core().counters().redirected == 2);
  star.check_end();
}

TEST_CASE("Ethernet switch block: a user's access list may be bound from outside", "[block][ethernet_switch]") {
  EthernetSwitch::Config config;
  config.make_access_list = [](const char*) { return nullptr; };
  config.rules = {detour_rule(0, 1, {}, 2)};
  OwnList list("own_list");
  Star star("star", true, config, 4);
  star.hub->access_socket.bind(list.socket);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  CHECK(list.rules == 1);  // passed on when the simulation began
  for (unsigned i = 0; i < 20; ++i) star.send(i % 2, 3, i, begin);
  sc_core::sc_start();
  CHECK(star.stations[2]->arrived.size() == 10);
  CHECK(star.stations[3]->arrived.size() == 10);
  REQUIRE(!star.stations[3]->arrived.empty());
  CHECK(star.stations[3]->arrived[0].tail == begin + head + latency + through + 40'000 + frame + latency);
  CHECK(list.asked.size() == 20);
  CHECK(std::is_sorted(list.asked.begin(), list.asked.end()));
  star.check_end();
}

TEST_CASE("Ethernet switch block: illegal parameters are refused", "[block][ethernet_switch]") {
  EthernetSwitchParams params;
  const ParameterSet set(params, "netreduce.switch.");
  set.set_assignment("netreduce.switch.forwarding=store_and_forward");
  set.set_assignment("netreduce.switch.pfc.headroom=12KiB");
  CHECK(params.forwarding == SwitchingMode::store_and_forward);
  CHECK(params.pfc.headroom == 12_KiB);
  CHECK_THROWS_WITH(set.set_assignment("netreduce.switch.alpha=9"), Contains("8"));
  PacketPool pool{EthernetLink{}};
  EthernetSwitch::Config config;
  config.ports.assign(64, port);
  config.params.buffer = 1_MiB;
  config.params.pfc.on = true;
  CHECK_THROWS_WITH(EthernetSwitch("small", config, pool), Contains("of a buffer of 1048576 B"));
}

}  // namespace tributary::test_ethernet_switch_block
