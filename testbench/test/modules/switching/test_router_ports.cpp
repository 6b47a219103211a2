/// Tests RouterCore with many ports.
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "modules/base/random.h"
#include "testbench/test/harness/router_bench.h"

namespace tributary::test_router_ports {
namespace {

/// Each port receives packets of both lanes, in sequence, for any other port.
template <class Bench>
void load_randomly(Bench& b, unsigned ports, unsigned packets) {
  std::vector<Tick> wire(ports, 1'000 * ns);
  std::uint16_t tag = 0;
  for (unsigned i = 0; i < packets; ++i)
    for (unsigned p = 0; p < ports; ++p) {
      const std::uint64_t r = random_at(11, p, i);
      const auto to = static_cast<std::uint16_t>(1 + (p + 1 + r % (ports - 1)) % ports);
      const auto flits = static_cast<unsigned>(1 + (r >> 20) % 17);
      b.arrive(p, b.packet(to, static_cast<unsigned>(r >> 40 & 1), flits, tag++), wire[p]);
      wire[p] += flits * ns;
    }
  b.run();
}

}  // namespace

TEST_CASE("router: the narrow and the wide core behave equally with the same number of ports", "[pure][router][ports]") {
  constexpr unsigned ports = 15;  // plus an interface
  BasicRouterBench<BasicRouterCore<16>> narrow(100'000, true, ports);
  BasicRouterBench<BasicRouterCore<64>> wide(100'000, true, ports);
  const auto trajectory = [](auto& bench) {
    load_randomly(bench, ports, 200);
    std::vector<std::tuple<unsigned, Tick, unsigned, unsigned, std::uint16_t>> all;
    for (const auto& s : bench.sent) all.emplace_back(s.port, s.head, s.vc, s.flits, s.tag);
    return all;
  };
  const auto expected = trajectory(narrow);
  REQUIRE(expected.size() == ports * 200);
  CHECK(trajectory(wide) == expected);
  CHECK(wide.credits == narrow.credits);
}

TEST_CASE("router: 32 or more ports send every packet once, in order, from all inputs to all outputs",
          "[pure][router][ports]") {
  for (const unsigned ports : {32u, 63u}) {
    constexpr unsigned packets = 100;
    BasicRouterBench<BasicRouterCore<64>> b(100'000, true, ports);
    load_randomly(b, ports, packets);
    REQUIRE(b.sent.size() == ports * packets);
    std::set<std::uint16_t> seen;
    std::set<unsigned> outputs;
    std::map<std::tuple<unsigned, unsigned, unsigned>, std::uint16_t> last;  // by input, output, VC
    std::map<unsigned, Tick> wire;                                           // by output
    for (const auto& s : b.sent) {
      CHECK(seen.insert(s.tag).second);
      outputs.insert(s.port);
      const auto [it, first] = last.try_emplace({s.tag % ports, s.port, s.vc}, s.tag);
      CHECK((first || it->second < s.tag));
      it->second = s.tag;
      CHECK(s.head >= wire[s.port]);  // packets do not overlap on a link
      wire[s.port] = s.head + s.flits * ns;
    }
    CHECK(outputs.size() == ports);
    CHECK(b.credits.size() == ports * packets);
  }
}

}  // namespace tributary::test_router_ports
