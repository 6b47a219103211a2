// Tests the routing table, multicast table, address hash and the lists of routed packets
// (docs/systems/klenk.md#multicast-regions).
#include <array>
#include <catch2/catch.hpp>
#include <set>

#include "modules/nvswitch/core/multicast_table.h"
#include "modules/nvswitch/core/packet_lists.h"
#include "modules/protocol/address_map.h"
#include "modules/protocol/nvlink.h"

namespace tributary::test_routing {
namespace {

/// Returns the table of a switch of board 0 of a DGX-2: GPUs 0 to 7 at ports 0 to 7, all others over trunk j at port 8
/// + j.
RouteTable dgx2_board0() {
  RouteTable t(16, 2, 8);
  for (unsigned j = 0; j < 8; ++j) {
    for (unsigned g = 0; g < 16; ++g) t.set_gpu(g, j, g < 8 ? g : 8 + j);
    t.set_switch(1, j, 8 + j);
  }
  return t;
}
MulticastRegion region(std::uint32_t id, std::uint64_t start, std::uint64_t size, std::vector<std::uint16_t> members) {
  return {id, start, size, std::move(members)};
}

}  // namespace

TEST_CASE("a route depends on the destination and the trunk", "[pure][routing]") {
  const RouteTable t = dgx2_board0();
  CHECK(t.trunks() == 8);
  CHECK(t.to_gpu(5, 3) == 5);
  CHECK(t.to_gpu(12, 3) == 11);
  CHECK(t.to_switch(1, 7) == 15);
  CHECK_THROWS_AS(t.to_switch(0, 0), std::logic_error);  // the switch itself
}

TEST_CASE("a region is a range of addresses", "[pure][routing]") {
  const RouteTable routes = dgx2_board0();
  MulticastTable t(64, 16);
  t.add(region(1, 0xA000, 0x400, {1, 2, 3}), routes);  // the example of Klenk Figure 2
  t.add(region(2, 0xA400, 0x400, {4, 5}), routes);
  CHECK(t.find(0xA023).region.id == 1);
  CHECK(t.find(0xA3FF).region.id == 1);
  CHECK(t.find(0xA400).region.id == 2);
  CHECK_THROWS_AS(t.find(0x9FFF), std::out_of_range);
  CHECK_THROWS_AS(t.find(0xA800), std::out_of_range);
}

TEST_CASE("outputs and expected operands exclude the port that a packet arrived at", "[pure][routing]") {
  const RouteTable routes = dgx2_board0();
  MulticastTable t(64, 16);
  t.add(region(1, 0, 128, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}), routes);
  const MulticastTable::Row& row = t.find(0);
  // From GPU 3, trunk 2: seven GPUs of the board, and port 10 to the eight of the other board.
  CHECK(t.outputs_except(row, 2, 3) == ((0x00FFu & ~(1u << 3)) | 1u << 10));
  CHECK(t.members_except(row, 2, 3) == 15);
  // From the other board: the eight GPUs of this board.
  CHECK(t.outputs_except(row, 2, 10) == 0x00FF);
  CHECK(t.members_except(row, 2, 10) == 8);
}

TEST_CASE("a region may have members in only a part of the machine", "[pure][routing]") {
  const RouteTable routes = dgx2_board0();
  MulticastTable t(64, 16);
  t.add(region(1, 0, 128, {1, 2, 9}), routes);
  const MulticastTable::Row& row = t.find(64);
  CHECK(t.outputs_except(row, 0, 1) == (1u << 2 | 1u << 8));
  CHECK(t.members_except(row, 0, 1) == 2);
  CHECK(t.outputs_except(row, 0, 8) == (1u << 1 | 1u << 2));
  CHECK(t.members_except(row, 0, 8) == 2);
  CHECK(t.members_except(row, 0, 5) == 3);  // no member is there
}

TEST_CASE("a full multicast table refuses", "[pure][routing]") {
  const RouteTable routes = dgx2_board0();
  MulticastTable t(2, 16);
  t.add(region(1, 0, 128, {0, 1}), routes);
  t.add(region(2, 128, 128, {0, 1}), routes);
  CHECK(t.size() == t.capacity());
  CHECK_THROWS_WITH(t.add(region(3, 256, 128, {0, 1}), routes), "the multicast table of a switch is full (2 regions)");
  t.clear();
  CHECK_NOTHROW(t.add(region(3, 256, 128, {0, 1}), routes));
}

TEST_CASE("interleaving: plane b mod 6, then board, port and trunk in turn", "[pure][routing]") {
  const AddressMap map(AddressMap::Hash::interleave, {6, 2, 16, 8}, 1);
  for (const std::uint64_t b : {0ull, 5ull, 6ull, 17ull, 191ull, 192ull, 1'000'003ull}) {
    const FabricLocation l = map.locate(b * 128 + 77);
    const std::uint64_t x = b / 6;
    CHECK(l.plane == b % 6);
    CHECK(l.home_switch == x % 2);
    CHECK(l.home_port == x / 2 % 16);
    CHECK(l.trunk == x / 2 % 8);
  }
}

TEST_CASE("192 consecutive blocks use every table of a DGX-2 once", "[pure][routing]") {
  const AddressMap map(AddressMap::Hash::interleave, {6, 2, 16, 8}, 1);
  std::set<std::array<unsigned, 3>> homes;
  std::array<unsigned, 8> trunks{};
  for (std::uint64_t b = 1000; b < 1192; ++b) {
    const FabricLocation l = map.locate(b * 128);
    homes.insert({l.plane, l.home_switch, l.home_port});
    ++trunks[l.trunk];
  }
  CHECK(homes.size() == 192);
  for (const unsigned n : trunks) CHECK(n == Approx(24).margin(2));  // the window does not begin at a multiple of 6 x 2 x 8
}

TEST_CASE("the random hash is a function of address and seed, spread evenly but not in turn", "[pure][routing]") {
  const AddressMap map(AddressMap::Hash::random, {6, 2, 16, 8}, 1), other(AddressMap::Hash::random, {6, 2, 16, 8}, 2);
  std::array<unsigned, 192> load{};
  unsigned differ = 0;
  for (std::uint64_t b = 0; b < 19'200; ++b) {
    const FabricLocation l = map.locate(b * 128), m = other.locate(b * 128);
    REQUIRE((l.plane < 6 && l.home_switch < 2 && l.home_port < 16 && l.trunk < 8));
    ++load[(l.plane * 2u + l.home_switch) * 16u + l.home_port];
    if (l.home_port != m.home_port || l.plane != m.plane) ++differ;
    CHECK(map.locate(b * 128 + 127).home_port == l.home_port);
  }
  CHECK(differ > 15'000);
  unsigned most = 0, least = ~0u;
  for (const unsigned n : load) most = std::max(most, n), least = std::min(least, n);
  // Poisson with mean 100: nowhere more than 5 deviations from it, somewhere more than one.
  CHECK((most < 155 && least > 50));
  CHECK((most > 115 && least < 85));
}

TEST_CASE("packets wait in lists on one pool, and a multicast keeps the outputs not yet reached", "[pure][routing]") {
  PacketPool pool{NvLink{}};
  Packet* packet = pool.make(128, false);
  packet->vc = response_vc;
  PacketLists lists;
  PacketLists::List waiting, routed;
  const auto size = [&](PacketLists::List list) {
    unsigned n = 0;
    lists.for_each(list, [&](const QueuedPacket&) { ++n; });
    return n;
  };
  CHECK(waiting.empty());
  for (Tick ready : {100, 200, 300})
    lists.append(waiting, lists.add(ready, ready + 5120, packet, RouteDecision{1u << 2, Exit::link, false}));
  const PacketLists::Place first = lists.take(waiting);
  CHECK((lists[first].ready == 100 && lists[first].tail_after == 5120 && lists[first].flits == 9));
  CHECK((lists[first].vc == 1 && lists[first].resource == queue_of_vc1));
  lists.append(routed, first);
  lists.append(routed, lists.take(waiting));
  CHECK((lists[routed.first].ready == 100 && lists[routed.last].ready == 200 && lists[waiting.first].ready == 300));
  CHECK((size(routed) == 2 && size(waiting) == 1));
  lists.release(lists.take(routed));
  CHECK(lists.add(Tick{0}, Tick{0}, packet, RouteDecision{1, Exit::stage, false}) == first);  // its entry is reused
  CHECK(lists[first].resource == before_stage);
  for (int i = 0; i < 200; ++i)
    lists.append(waiting, lists.add(Tick{400}, Tick{400}, packet, RouteDecision{1, Exit::drop, false}));
  CHECK((size(waiting) == 201 && lists[waiting.first].ready == 300 && lists[waiting.last].resource == no_resource));

  const std::uint16_t group = lists.new_group(0b1101), other = lists.new_group(0b1);
  const QueuedPacket copy(lists[waiting.first], group);
  CHECK((copy.shared && copy.outputs == group && copy.ready == 300 && copy.packet == packet && copy.flits == 9));
  CHECK(!lists.reached(group, 2));
  CHECK(!lists.reached(group, 0));
  CHECK(lists.reached(other, 0));
  CHECK(lists.reached(group, 3));
  CHECK((lists.new_group(1) == group || lists.new_group(1) == other));
  packet->release();
  CHECK(pool.live() == 0);
}

}  // namespace tributary::test_routing
