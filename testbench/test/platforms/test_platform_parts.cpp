// A platform of two parts with unlike lookaheads, joined by a link; and links that cannot be wired.
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "modules/base/random.h"
#include "platforms/platform.h"
#include "testbench/test/harness/frame_endpoint.h"
#include "testbench/test/harness/test_protocols.h"

namespace tributary::test_platform_parts {
namespace {

using Endpoint = FrameSource<CreditedLink>;
using LinkConfig = Endpoint::LinkTransmitter::Config;
using topology::NodeKind;

constexpr unsigned ends = 3, frames = 60;  // ends per part, frames per end
constexpr Tick short_hop = 20'000, short_delay = 30'000, long_hop = 1'000'000, long_delay = 300'000, begin = 10'000'000;
constexpr Tick header = 5'120;  // 64 B at 80 ps each

LinkConfig link(Tick latency) {
  LinkConfig config;
  config.link.rate = 100_Gbps;
  config.link.latency = picoseconds(latency);
  config.flow_control = 3 * 9216;
  return config;
}

/// Two stars of three ends around a hub, and a link between the hubs.
topology::Graph two_stars() {
  topology::Graph graph;
  for (int star = 0; star < 2; ++star) {
    for (unsigned e = 0; e < ends; ++e) {
      const unsigned number = static_cast<unsigned>(star) * ends + e;
      graph.add_node({NodeKind::nic, "end" + std::to_string(number), 1, star, -1, static_cast<int>(number)});
    }
    graph.add_node({NodeKind::switch_node, "hub" + std::to_string(star), ends + 1, star, 0, star});
  }
  for (int star = 0; star < 2; ++star)
    for (int e = 0; e < static_cast<int>(ends); ++e) graph.connect({star * 4 + e, 0}, {star * 4 + 3, e});
  graph.connect({3, ends}, {7, ends});
  return graph;
}

/// A platform whose endpoints take part in no collective.
class BarePlatform : public Platform {
 public:
  using Platform::Platform;
  ~BarePlatform() override { Platform::reset(); }
  unsigned endpoints() const override { return 0; }
  std::byte* memory_of(unsigned) override { return nullptr; }
  void resize_memory(unsigned, std::uint64_t) override {}
  std::map<std::string, double> counters() const override { return {}; }
  Tick longest_silence(std::uint64_t) const override { return 0; }
};

class TwoStars : public BarePlatform {
 public:
  TwoStars(const sc_core::sc_module_name& name, bool windowed, Tick between = long_hop) : BarePlatform(name, two_stars()) {
    add_star(add_part({short_hop, short_delay, 1'000'000}, framing_of<CreditedLink>()), 0, short_hop, short_delay, between);
    add_star(add_part({long_hop, long_delay, 1'000'000}, framing_of<CreditedLink>()), 1, long_hop, long_delay, between);
    wire(windowed);
  }
  void send(unsigned from, unsigned to, std::uint64_t number, unsigned payload, Tick ready) {
    Packet* const p = pools_.at(from / ends)->make(payload, false);
    auto& h = p->header<FrameHeader>();
    h.number = number;
    h.source = static_cast<std::uint16_t>(from);
    h.destination = static_cast<std::uint16_t>(to);
    end(from).send(p, ready);
  }
  Endpoint& end(unsigned i) { return *ends_.at(i); }

 private:
  void add_star(PlatformPart& part, unsigned star, Tick hop, Tick delay, Tick between) {
    pools_.push_back(&part.pools.front());
    const int first = static_cast<int>(star) * 4;
    for (unsigned e = 0; e < ends; ++e)
      ends_.push_back(&add_device_of<Endpoint>(part, first + static_cast<int>(e), link(hop)));
    std::vector<LinkConfig> links(ends, link(hop));
    links.push_back(link(between));
    auto& hub = add_device_of<FrameHub>(part, first + 3, links, delay);
    for (unsigned to = 0; to < 2 * ends; ++to) hub.output_of.push_back(to / ends == star ? to % ends : ends);
  }
  std::vector<PacketPool*> pools_;
  std::vector<Endpoint*> ends_;
};

/// One frame alone, then many of random sizes to random ends. All times are multiples of the time of a byte, except for the
/// offsets of the ends: no two frames arrive at an input at the same instant.
void random_traffic(TwoStars& system) {
  system.send(0, 5, 1'000, 0, 1'000'000);
  for (unsigned from = 0; from < 2 * ends; ++from)
    for (unsigned i = 0; i < frames; ++i)
      system.send(from, static_cast<unsigned>(random_at(12, from, i) % (2 * ends)), i,
                  static_cast<unsigned>(random_at(11, from, i) % 9153), begin + from);
}

}  // namespace

TEST_CASE("parts of a platform: lookaheads of 20 ns and 1 us give equal times in windows and event by event",
          "[block][parts]") {
  TwoStars windowed("windowed", true), reference("reference", false);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (TwoStars* system : {&windowed, &reference}) random_traffic(*system);
  CHECK(windowed.live_packets() == 2 * ends * frames + 1);
  sc_core::sc_start();
  std::size_t arrived = 0;
  for (unsigned e = 0; e < 2 * ends; ++e) {
    CHECK(windowed.end(e).starts == reference.end(e).starts);
    CHECK(windowed.end(e).arrived == reference.end(e).arrived);
    arrived += windowed.end(e).arrived.size();
  }
  CHECK(arrived == 2 * ends * frames + 1);
  REQUIRE_FALSE(windowed.end(5).arrived.empty());
  const Endpoint::Arrived alone = windowed.end(5).arrived.front();
  CHECK(alone.number == 1'000);
  CHECK(alone.tail == 1'000'000 + short_hop + short_delay + 2 * long_hop + long_delay + 3 * header);
  for (const TwoStars* system : {&windowed, &reference}) {
    CHECK(system->live_packets() == 0);
    CHECK(system->waiting().empty());
    CHECK(system->lookahead() == short_hop);
  }
  CHECK(windowed.activations() < reference.activations());
}

TEST_CASE("parts of a platform: a link between them is no shorter than their lookaheads", "[block][parts]") {
  CHECK_THROWS_WITH(TwoStars("stars", true, long_hop - 80),
                    "the link of hub0.port3 and hub1.port3 joins two parts and has a latency of 999920 ps (legal: at least "
                    "1000000 ps, their longest lookahead)");
}

namespace {

class UnlikePair : public BarePlatform {
 public:
  UnlikePair(const sc_core::sc_module_name& name, const topology::Graph& graph) : BarePlatform(name, graph) {
    PlatformPart& packets = add_part({20'000, 0, 20'000}, framing_of<CreditedLink>());
    PlatformPart& frames_part = add_part({20'000, 0, 20'000}, framing_of<EthernetLink>());
    add_device_of<Endpoint>(packets, 0, link(20'000));
    add_device_of<FrameEndpoint>(frames_part, 1, EthernetDevice::PortConfig{100_Gbps, 20_ns}, frames_part.pools.front());
    wire(true);
  }
};

}  // namespace

TEST_CASE("parts of a platform: ports of unlike protocols cannot be linked", "[block][parts]") {
  topology::Graph graph;
  for (const int i : {0, 1}) graph.add_node({NodeKind::nic, "end" + std::to_string(i), 1, 0, -1, i});
  graph.connect({0, 0}, {1, 0});
  CHECK_THROWS_WITH(UnlikePair("pair", graph), "end0.port0 and end1.port0 speak unlike protocols and cannot be linked");
}

}  // namespace tributary::test_platform_parts
