// A device with more than 16 ports: 32 endpoints around one hub.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "modules/base/random.h"
#include "testbench/test/harness/test_protocols.h"

namespace tributary::test_many_ports_block {
namespace {

// All times are multiples of the time of a byte, except for the endpoints' own offsets: no two frames arrive at the
// same instant.
constexpr unsigned ports = 32, frames = 60;
constexpr Tick latency = 50'000, delay = 30'000, begin = 1'000'000;
const Bandwidth rate = bytes_per_second(12'500'000'000);  // 80 ps for a byte

struct Star {
  using Endpoint = FrameSource<CreditedLink>;
  Star(const std::string& name, bool windowed) {
    Endpoint::LinkTransmitter::Config config;
    config.link.rate = rate;
    config.link.latency = picoseconds(latency);
    config.flow_control = 3 * 9216;
    hub = std::make_unique<FrameHub>((name + "_hub").c_str(), ports, config, delay);
    if (windowed) hub->set_windows(Windows::of(latency, delay, 1'000'000, {0, 2}));
    for (unsigned p = 0; p < ports; ++p) {
      endpoints.push_back(std::make_unique<Endpoint>((name + "_endpoint" + std::to_string(p)).c_str(), config));
      if (windowed) endpoints[p]->set_windows(Windows::of(latency, delay, 1'000'000, {1, 2}));
      connect(endpoints[p]->port, hub->port(p));
    }
  }
  void send(PacketPool& pool) {
    for (unsigned p = 0; p < ports; ++p)
      for (unsigned i = 0; i < frames; ++i) {
        Packet* packet = pool.make(static_cast<unsigned>(random_at(9, p, i) % 9153), false);
        auto& h = packet->header<FrameHeader>();
        h.number = i;
        h.source = static_cast<std::uint16_t>(p);
        h.destination = static_cast<std::uint16_t>(random_at(10, p, i) % ports);
        ++sent_to[h.destination];
        endpoints[p]->send(packet, begin + p);
      }
  }
  std::unique_ptr<FrameHub> hub;
  std::vector<std::unique_ptr<Endpoint>> endpoints;
  std::map<unsigned, std::size_t> sent_to;
};

}  // namespace

TEST_CASE("many ports: a device of 32 ports receives and sends through all of them, in windows as event by event",
          "[block][ports]") {
  Star windowed("windowed", true), reference("reference", false);
  PacketPool pool{CreditedLink{}};
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  windowed.send(pool);
  reference.send(pool);
  sc_core::sc_start();
  for (unsigned p = 0; p < ports; ++p) {
    const auto& arrived = windowed.endpoints[p]->arrived;
    CHECK(arrived.size() == windowed.sent_to[p]);
    std::map<unsigned, std::uint64_t> last;
    for (const auto& a : arrived) {
      const auto [it, first] = last.try_emplace(a.source, a.number);
      REQUIRE((first || it->second < a.number));
      it->second = a.number;
    }
    REQUIRE(arrived == reference.endpoints[p]->arrived);
    CHECK(windowed.endpoints[p]->starts == reference.endpoints[p]->starts);
    CHECK(windowed.endpoints[p]->port.transmitter().quiescent());
  }
  CHECK(windowed.hub->waiting().empty());
  CHECK(windowed.hub->activations() < reference.hub->activations());
  CHECK(pool.live() == 0);
}

TEST_CASE("many ports: a device of more than 64 ports is refused", "[block][ports]") {
  BasicLinkTransmitter<CreditedLink>::Config config;
  CHECK_THROWS_WITH(FrameHub("hub", 65, config, delay), "a device has at most 64 ports");
}

}  // namespace tributary::test_many_ports_block
