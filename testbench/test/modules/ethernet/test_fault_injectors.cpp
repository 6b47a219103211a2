// FaultInjectors on real links: 100 Gb/s and 10 ns, so a frame of 1106 B on the wire lasts 88.48 ns, and its tail arrives 10
// ns later.
#include <catch2/catch.hpp>
#include <vector>

#include "modules/ethernet/core/fault_injectors.h"

namespace tributary::test_fault_injectors {
namespace {

struct Arrived {
  Tick tail;
  unsigned port, psn, damage;
  bool operator==(const Arrived& o) const { return tail == o.tail && port == o.port && psn == o.psn && damage == o.damage; }
};

struct Machine : LinkOutput {
  PacketPool pool{EthernetLink{}};
  EthernetLinks::Transmitter first{config()}, second{config()};
  EthernetLinks links{{&first, &second}, *this, pool};
  FaultInjectors injectors;
  std::vector<Arrived> arrived;

  explicit Machine(const std::vector<const char*>& rules) : injectors(script_of(rules)) {
    for (unsigned port = 0; port < 2; ++port) {
      FaultInjector::Config c;
      c.link = port == 0 ? "a>b" : "a>c";
      c.index = port;
      injectors.add(links, port, c);
    }
    links.begin(0);
  }
  static EthernetLinks::Transmitter::Config config() {
    EthernetLinks::Transmitter::Config c;
    c.link.rate = 100_Gbps;
    c.link.latency = 10_ns;
    return c;
  }
  static FaultScript script_of(const std::vector<const char*>& rules) {
    FaultScript s;
    for (const char* rule : rules) s.rules.push_back(parse_fault_rule(rule));
    return s;
  }
  void deliver(unsigned port, Tick from, const LinkArrival* packets, unsigned count, Tick) override {
    for (const LinkArrival* a = packets; a != packets + count; ++a) {
      arrived.push_back({from + a->after + a->duration, port, roce(*a->packet).psn, a->packet->damage});
      a->packet->release();
    }
  }
  void return_credits(unsigned, Tick, const LinkCredit*, unsigned, Tick) override {}
  void send(unsigned port, unsigned psn) {
    Packet* const p = make_frame(pool, FrameKind::write_middle, 1024, false);
    p->vc = roce_class;
    roce(*p).psn = psn;
    links.push(port, p, roce_class, 0, 0);
  }
  void run() {
    links.finish(1'000'000, false, [](unsigned, const EthernetLinks::Sent&) {});
  }
};

}  // namespace

TEST_CASE("links without faults have no injector", "[pure][ethernet]") {
  CHECK(Machine({}).injectors.size() == 0);
  CHECK(Machine({"drop:a>c:0"}).injectors.size() == 1);
  CHECK(Machine({"drop:ack:0:0"}).injectors.size() == 0);  // no link of this machine begins at a host
}

TEST_CASE("frames with faults occupy the wire", "[pure][ethernet]") {
  Machine m({"drop:a>b:1", "corrupt:a>b:2", "flip:a>b:3", "duplicate:a>c:0"});
  CHECK(m.injectors.size() == 2);
  for (unsigned psn = 0; psn < 5; ++psn) m.send(0, psn);
  for (unsigned psn = 0; psn < 2; ++psn) m.send(1, psn);
  m.run();
  std::vector<Arrived> first, second;
  for (const Arrived& a : m.arrived) (a.port == 0 ? first : second).push_back(a);
  CHECK(first ==
        std::vector<Arrived>{
            {98'480, 0, 0, whole}, {275'440, 0, 2, fcs_wrong}, {363'920, 0, 3, icrc_wrong}, {452'400, 0, 4, whole}});
  // A duplicate occupies no time on the wire: the far end duplicates the frame.
  CHECK(second == std::vector<Arrived>{{98'480, 1, 0, whole}, {98'480, 1, 0, whole}, {186'960, 1, 1, whole}});
  CHECK(m.links.quiescent());
  CHECK(m.pool.live() == 0);
}

}  // namespace tributary::test_fault_injectors
