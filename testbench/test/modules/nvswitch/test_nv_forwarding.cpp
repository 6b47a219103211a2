// Tests the policy of an NVSwitch: home routing, multicast, and the rules of push and pull (docs/systems/klenk.md#pull,
// #push).
#include <catch2/catch.hpp>

#include "modules/nvswitch/core/nv_forwarding.h"
#include "modules/nvswitch/core/reduction_table.h"

namespace tributary::test_nv_forwarding {
namespace {

struct Table : TableAccess, ReductionTable {
  explicit Table(unsigned entries) : ReductionTable(entries * 128, 2'000'000) {}
  Tick access(TableTransaction& t) override {
    ReductionTable::access(t);
    return 0;
  }
};

/// Board 0 of one plane of a DGX-2: GPUs 0 to 7 at ports 0 to 7, trunks at ports 8 to 15, and sixteen tables.
class Board {
 public:
  explicit Board(unsigned entries = 2, PushResultVc vc = PushResultVc::response) {
    for (unsigned j = 0; j < 8; ++j) {
      for (unsigned g = 0; g < 16; ++g) routes.set_gpu(g, j, g < 8 ? g : 8 + j);
      routes.set_switch(1, j, 8 + j);
    }
    MulticastRegion all{0, 0, 1 << 20, {}};
    for (std::uint16_t g = 0; g < 16; ++g) all.members.push_back(g);
    regions.add(all, routes);
    regions.add({1, 1 << 20, 1 << 20, {2, 9}}, routes);
    std::vector<TableAccess*> access;
    for (unsigned p = 0; p < 16; ++p) {
      tables.push_back(std::make_unique<Table>(entries));
      access.push_back(tables.back().get());
    }
    forwarding = std::make_unique<NvForwarding>(NvForwarding::Config{0, 0x00FF, vc}, routes, regions, access);
  }

  PacketPool pool{NvLink{}};
  RouteTable routes{16, 2, 8};
  MulticastTable regions{64, 16};
  std::vector<std::unique_ptr<Table>> tables;
  std::unique_ptr<NvForwarding> forwarding;

  Packet* packet(Opcode opcode, Target target, std::uint64_t address = 0) {
    Packet* p = pool.make(128, false);
    NvHeader& h = nv(*p);
    h.opcode = opcode;
    h.target = target;
    h.address = address;
    h.count = 1;
    h.trunk = 3;
    return p;
  }
  Packet* pull(std::uint16_t requester) {
    Packet* p = packet(Opcode::pull, Target::region);
    nv(*p).destination = requester;
    return p;
  }
  Packet* response(std::uint16_t requester, unsigned count = 1) {
    Packet* p = packet(Opcode::rsp, Target::gpu);
    nv(*p).destination = requester;
    nv(*p).count = static_cast<std::uint16_t>(count);
    return p;
  }
  StageOutcome push(unsigned port, std::uint64_t block, Tick now) {
    Packet* p = packet(Opcode::red_write, Target::home, block * 128);
    return forwarding->operate(port, p, now, now + 5760);
  }
  bool claim(unsigned port, const Packet* p) { return forwarding->claim(port, *p, 100); }
};

RouteDecision route(Board& b, unsigned in_port, const Packet* p) { return b.forwarding->route(in_port, *p); }

/// Takes the next of the shortest paths, and keeps the requests.
struct NextPath : SwitchRouter {
  explicit NextPath(std::vector<Request>& all) : requests(all) {}
  std::size_t choose(const Request& r) const override {
    requests.push_back(r);
    return (r.usual + 1) % r.ports.size();
  }
  std::vector<Request>& requests;
};

}  // namespace

TEST_CASE("a packet for a GPU is routed to its port, or to the trunk of its address", "[pure][nvswitch]") {
  Board b;
  Packet* p = b.packet(Opcode::write, Target::gpu);
  nv(*p).destination = 5;
  CHECK(route(b, 0, p).outputs == 1u << 5);
  CHECK(route(b, 5, p).outputs == 1u << 5);  // a U-turn
  nv(*p).destination = 12;
  CHECK(route(b, 0, p).outputs == 1u << 11);
  CHECK(route(b, 0, p).exit == Exit::link);
  CHECK(route(b, 0, b.response(5)).exit == Exit::stage_and_link);
}

TEST_CASE("parts of a block have entries of their own", "[pure][nvswitch]") {
  Board b;
  Packet* const first = b.pull(0);
  Packet* const second = b.pull(0);
  nv(*second).address = 64;
  CHECK(b.claim(0, first));
  CHECK(b.claim(0, second));
  Packet* const third = b.pull(0);
  nv(*third).address = 128;
  CHECK_FALSE(b.claim(0, third));
  Packet* const part = b.response(0, 15);
  nv(*part).address = 64;
  const StageOutcome done = b.forwarding->operate(0, part, 100, 200);
  CHECK((done.link == part && done.frees_entry));
  b.forwarding->finish(0, part, 200);
  CHECK(b.claim(0, third));
}

TEST_CASE("a switch of 72 ports routes beyond port 63", "[pure][nvswitch]") {
  RouteTable routes{72, 1, 1};
  for (unsigned g = 0; g < 72; ++g) routes.set_gpu(g, 0, g);
  MulticastTable regions{64, 72};
  MulticastRegion some{0, 0, 1 << 20, {2, 63, 64, 71}};
  regions.add(some, routes);
  std::vector<std::unique_ptr<Table>> tables;
  std::vector<TableAccess*> access;
  for (unsigned p = 0; p < 72; ++p) tables.push_back(std::make_unique<Table>(2)), access.push_back(tables.back().get());
  NvForwarding::Config config;
  config.ports = 72;
  for (unsigned p = 0; p < 72; ++p) config.endpoint_ports |= port_bit<WidePortMask>(p);
  NvForwarding forwarding(config, routes, regions, access);
  Board b;
  Packet* p = b.packet(Opcode::write, Target::gpu);
  nv(*p).trunk = 0;
  for (const unsigned to : {0u, 63u, 64u, 71u}) {
    nv(*p).destination = static_cast<std::uint16_t>(to);
    CHECK(forwarding.route_wide(3, *p).outputs == port_bit<WidePortMask>(to));
    CHECK(first_port(forwarding.route_injected_wide(3, *p).outputs) == to);
  }
  nv(*p).opcode = Opcode::pull, nv(*p).target = Target::region;
  const auto ports_of = [&](unsigned from) {
    std::vector<unsigned> ports;
    Bits<128>(forwarding.route_wide(from, *p).outputs).for_each([&](unsigned port) { ports.push_back(port); });
    return ports;
  };
  CHECK(ports_of(64) == std::vector<unsigned>{2, 63, 71});
  CHECK(forwarding.route_wide(64, *p).needs_entry);
  nv(*p).to_self = true;
  CHECK(ports_of(64) == std::vector<unsigned>{2, 63, 64, 71});
  CHECK(forwarding.claim(71, *p, 0));
}

TEST_CASE("a router of a user is asked about packets that have several shortest paths", "[pure][nvswitch]") {
  Board b;
  std::vector<SwitchRouter::Request> requests;
  const RouterSeat router([&](const SwitchRouterConfig&) { return std::make_unique<NextPath>(requests); }, {"switch0", 16});
  std::vector<TableAccess*> access;
  for (const auto& table : b.tables) access.push_back(table.get());
  NvForwarding own({0, 0x00FF}, b.routes, b.regions, access, &router);
  Packet* p = b.packet(Opcode::write, Target::gpu, 4096);
  nv(*p).destination = 5;
  CHECK(own.route(0, *p).outputs == 1u << 5);  // the only path
  CHECK(requests.empty());
  nv(*p).destination = 12;
  CHECK(own.route(2, *p).outputs == 1u << 12);  // trunk 4 in place of 3
  REQUIRE(requests.size() == 1);
  CHECK((requests[0].input == 2 && requests[0].destination == 12 && requests[0].flow == 4096 && !requests[0].to_switch));
  CHECK(requests[0].ports == std::vector<unsigned>{8, 9, 10, 11, 12, 13, 14, 15});
  CHECK(requests[0].usual == 3);
  Packet* operand = b.packet(Opcode::red_write, Target::home);
  nv(*operand).home_port = 13, nv(*operand).home_switch = 1;
  CHECK(own.route(0, *operand).outputs == 1u << 12);
  CHECK(requests.back().to_switch);
  CHECK(own.route_injected(4, *p).outputs == 1u << 12);
  CHECK(requests.back().input == 4);
  // A response returns to the table that waits for it; a multicast follows its region.
  Packet* response = b.response(12);
  CHECK(own.route(0, *response).outputs == 1u << 11);
  const Packet* const pull = b.pull(0);
  CHECK(own.route(0, *pull).outputs == route(b, 0, pull).outputs);
  CHECK(requests.size() == 3);
}

TEST_CASE("an operand is routed to the home switch, and there to the table of the home port", "[pure][nvswitch]") {
  Board b;
  Packet* p = b.packet(Opcode::red_write, Target::home);
  nv(*p).home_port = 13;
  nv(*p).home_switch = 1;
  CHECK(route(b, 0, p).outputs == 1u << 11);
  CHECK(route(b, 0, p).exit == Exit::link);
  nv(*p).home_switch = 0;
  CHECK(route(b, 0, p).outputs == 1u << 13);
  CHECK(route(b, 0, p).exit == Exit::stage);
  nv(*p).opcode = Opcode::ack;
  CHECK(route(b, 0, p).exit == Exit::drop);  // the ack of a result ends at the home port
}

TEST_CASE("a multicast excludes the port by which it arrived", "[pure][nvswitch]") {
  Board b;
  const Packet* p = b.packet(Opcode::mc_write, Target::region);
  CHECK(route(b, 2, p).outputs == ((0xFFu & ~4u) | 1u << 11));
  CHECK(route(b, 11, p).outputs == 0xFF);
  CHECK_FALSE(route(b, 2, p).needs_entry);
  const Packet* pair = b.packet(Opcode::mc_write, Target::region, 1 << 20);
  CHECK(route(b, 2, pair).outputs == 1u << 11);
  CHECK(route(b, 11, pair).outputs == 1u << 2);
}

TEST_CASE("the last operand gives a result for all members, those on its own side included", "[pure][nvswitch]") {
  Board b;
  for (Tick i = 0; i < 15; ++i) CHECK(b.push(4, 0, i * 6000).inject == nullptr);
  const StageOutcome o = b.push(4, 0, 90'000);
  REQUIRE(o.inject != nullptr);
  CHECK(o.frees_entry);
  CHECK_FALSE(o.inject_at_once);  // only when its last flit has passed the ALUs
  const NvHeader& h = nv(*o.inject);
  CHECK((h.opcode == Opcode::mc_write && h.target == Target::region && h.count == 16 && h.reply_home));
  CHECK(o.inject->vc == response_vc);
  CHECK(b.forwarding->route_injected(4, *o.inject).outputs == (0xFFu | 1u << 11));
  CHECK(b.tables[4]->occupancy() == 1);
  b.forwarding->finish(4, o.inject, 96'000);
  CHECK(b.tables[4]->occupancy() == 0);
}

TEST_CASE("an evicted partial sum is sent to the home GPU of its block immediately", "[pure][nvswitch]") {
  Board b(1);
  b.push(4, 0, 0);
  b.push(4, 0, 6000);
  const StageOutcome o = b.push(4, 7, 12'000);
  REQUIRE(o.inject != nullptr);
  CHECK(o.inject_at_once);
  CHECK_FALSE(o.frees_entry);
  const NvHeader& h = nv(*o.inject);
  CHECK((h.opcode == Opcode::red_partial && h.target == Target::gpu && h.count == 2 && h.address == 0 && h.reply_home));
  CHECK(h.destination == home_gpu_index(0, 16));
  CHECK(o.inject->vc == response_vc);
  const unsigned port = h.destination < 8 ? h.destination : 11u;
  CHECK(b.forwarding->route_injected(4, *o.inject).outputs == 1u << port);
}

TEST_CASE("results and partial sums of operands for one GPU go only to that GPU", "[pure][nvswitch]") {
  const auto root = static_cast<std::uint16_t>((home_gpu_index(0, 16) + 1) % 16);
  Board b(1);
  const auto push = [&](std::uint64_t block, Tick now) {
    Packet* p = b.packet(Opcode::red_write, Target::home, block * 128);
    nv(*p).to_one = true;
    nv(*p).destination = root;
    return b.forwarding->operate(4, p, now, now + 5760);
  };
  push(0, 0);
  const StageOutcome evicted = push(7, 6000);
  REQUIRE(evicted.inject != nullptr);
  CHECK((nv(*evicted.inject).opcode == Opcode::red_partial && nv(*evicted.inject).destination == root));
  for (Tick i = 1; i < 15; ++i) push(7, 6000 + i * 6000);
  const StageOutcome o = push(7, 96'000);
  REQUIRE(o.inject != nullptr);
  const NvHeader& h = nv(*o.inject);
  CHECK((h.opcode == Opcode::mc_write && h.target == Target::gpu && h.destination == root && h.count == 16 && h.reply_home));
  CHECK(b.forwarding->route_injected(4, *o.inject).outputs == 1u << (root < 8 ? root : 11u));
}

TEST_CASE("an entry that times out is sent as a partial sum", "[pure][nvswitch]") {
  Board b(2);
  CHECK(b.forwarding->next_timeout(4) == never);
  b.push(4, 3, 1000);
  CHECK(b.forwarding->next_timeout(4) == 2'001'000);
  CHECK(b.forwarding->next_timeout(5) == never);
  Packet* p = b.forwarding->expire(4, 2'001'000).packet;
  REQUIRE(p != nullptr);
  CHECK((nv(*p).opcode == Opcode::red_partial && nv(*p).count == 1));
  CHECK(nv(*p).destination == home_gpu_index(3 * 128, 16));
  CHECK(b.forwarding->next_timeout(4) == never);
}

TEST_CASE("an operand is sent to the home GPU as a partial sum of one if all entries belong to pulls", "[pure][nvswitch]") {
  Board b(1);
  CHECK(b.claim(4, b.pull(4)));
  const StageOutcome o = b.push(4, 7, 12'000);
  REQUIRE(o.inject != nullptr);
  CHECK(o.inject_at_once);
  CHECK((nv(*o.inject).opcode == Opcode::red_partial && nv(*o.inject).count == 1));
}

TEST_CASE("a parameter selects the VC of push results", "[pure][nvswitch]") {
  Board b(1, PushResultVc::request);
  b.push(4, 0, 0);
  CHECK(b.push(4, 1, 0).inject->vc == request_vc);
}

TEST_CASE("home GPUs are spread evenly over all members", "[pure][nvswitch]") {
  std::vector<unsigned> load(5);
  for (std::uint64_t b = 0; b < 5000; ++b) ++load.at(home_gpu_index(b * 128, 5));
  for (const unsigned n : load) CHECK(n == Approx(1000).margin(150));  // standard deviation 28
  CHECK(home_gpu_index(128, 16) == home_gpu_index(128 + 127, 16));
}

TEST_CASE("a pull at its first hop requires an entry, which expects all other members", "[pure][nvswitch]") {
  Board b(1);
  const Packet* p = b.pull(2);
  CHECK(route(b, 2, p).needs_entry);
  CHECK(route(b, 2, p).outputs == ((0xFFu & ~4u) | 1u << 11));
  CHECK(b.claim(2, p));
  CHECK(b.tables[2]->waiting() == std::vector<std::string>{"block 0 has 0 of 15 operands for gpu2 @100"});
  CHECK_FALSE(b.claim(2, b.pull(2)));  // full: the pull stalls
  CHECK(b.claim(3, b.pull(3)));        // another port has its own table
}

TEST_CASE("at later hops a pull allocates an entry for its subtree if one is free, else it continues without",
          "[pure][nvswitch]") {
  Board b(1);
  CHECK(b.claim(11, b.pull(9)));
  CHECK(b.tables[11]->waiting() == std::vector<std::string>{"block 0 has 0 of 8 operands for gpu9 @100"});
  CHECK(b.claim(11, b.pull(10)));
  CHECK(b.tables[11]->occupancy() == 1);
}

TEST_CASE("a subtree of one member needs no entry", "[pure][nvswitch]") {
  Board b(1);
  Packet* p = b.packet(Opcode::pull, Target::region, 1 << 20);  // GPUs 2 and 9
  nv(*p).destination = 9;
  CHECK(b.claim(11, p));
  CHECK(b.tables[11]->occupancy() == 0);
  nv(*p).destination = 2;
  CHECK(b.claim(2, p));  // but the first hop always has one
  CHECK(b.tables[2]->waiting() == std::vector<std::string>{"block 8192 has 0 of 1 operands for gpu2 @100"});
}

TEST_CASE("responses are reduced where the request has an entry, and one response leaves with the count",
          "[pure][nvswitch]") {
  Board b(1);
  b.claim(2, b.pull(2));
  for (unsigned i = 0; i < 7; ++i) {
    const StageOutcome o = b.forwarding->operate(2, b.response(2), i * 6000, i * 6000 + 5760);
    CHECK((o.link == nullptr && o.bypass == nullptr && o.inject == nullptr));
  }
  const StageOutcome o = b.forwarding->operate(2, b.response(2, 8), 60'000, 65'760);
  REQUIRE(o.link != nullptr);
  CHECK(o.frees_entry);
  CHECK((nv(*o.link).opcode == Opcode::rsp && nv(*o.link).count == 15));
}

TEST_CASE("a response without an entry passes at an intermediate hop, and is an error at the last", "[pure][nvswitch]") {
  Board b(1);
  Packet* p = b.response(9);
  const StageOutcome o = b.forwarding->operate(11, p, 0, 5760);
  CHECK(o.bypass == p);
  CHECK((o.link == nullptr && !o.frees_entry));
  CHECK_THROWS_AS(b.forwarding->operate(2, b.response(2), 0, 5760), std::logic_error);
}

TEST_CASE("a request that its sender answers, too, returns at the first hop alone", "[pure][nvswitch]") {
  Board b;
  Packet* p = b.pull(3);
  nv(*p).to_self = true;
  CHECK(route(b, 3, p).outputs == (0xFFu | 1u << 11));  // all eight GPUs of the board, and trunk 3
  CHECK(route(b, 11, p).outputs == 0xFFu);              // a requester on the other board
  CHECK(b.claim(3, p));
  // sums of 8 GPUs of the other board, then one operand of each on this board
  Packet* far = b.response(3, 8);
  CHECK(b.forwarding->operate(3, far, 200, 300).link == nullptr);
  for (unsigned g = 0; g < 7; ++g) CHECK(b.forwarding->operate(3, b.response(3), 400, 500).link == nullptr);
  const StageOutcome last = b.forwarding->operate(3, b.response(3), 600, 700);
  REQUIRE(last.link != nullptr);
  CHECK(nv(*last.link).count == 16);
  nv(*p).opcode = Opcode::mc_write;
  CHECK(route(b, 3, p).outputs == (0xFFu | 1u << 11));
}

}  // namespace tributary::test_nv_forwarding
