// Output ports of frames in an Ethernet switch: access list, and routes with several ports.
#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>
#include <vector>

#include "modules/ethernet_switch/core/access_list_table.h"
#include "modules/ethernet_switch/core/ethernet_routes.h"

namespace tributary::test_access_list {
namespace {

constexpr unsigned none = AccessTransaction::none;

RoceHeader header(std::uint16_t source, std::uint16_t destination, FrameKind kind = FrameKind::write_middle) {
  RoceHeader h{};
  h.source = source;
  h.destination = destination;
  h.kind = kind;
  return h;
}

}  // namespace

TEST_CASE("access list: the detour of a ring redirects its connections to the accelerator, but not frames from it",
          "[pure][ethernet_switch]") {
  AccessListTable list;
  constexpr unsigned hosts = 4;  // host i at port i, accelerator at ports 4 to 7
  const std::bitset<max_ethernet_ports> accelerators(0xF0);
  for (std::uint16_t r = 0; r < hosts; ++r)
    list.add(detour_rule(r, static_cast<std::uint16_t>((r + 1) % hosts), accelerators, hosts + r));
  for (std::uint16_t r = 0; r < hosts; ++r) {
    const auto next = static_cast<std::uint16_t>((r + 1) % hosts);
    CHECK(list.classify(header(r, next), r, 0) == hosts + r);
    CHECK(list.classify(header(r, next), hosts + r, 0) == none);             // a result
    CHECK(list.classify(header(next, r, FrameKind::ack), next, 0) == none);  // the other direction
    CHECK(list.classify(header(r, next, FrameKind::datagram), r, 0) == none);
    CHECK(list.hits(r) == 1);
  }
  CHECK(list.hits() == hosts);
  list.reset();
  CHECK(list.hits() == 0);
  CHECK(list.rules() == hosts);
  list.clear();
  CHECK(list.classify(header(0, 1), 0, 0) == none);
}

TEST_CASE("access list: in a ring of two hosts ACKs are redirected too, as both directions are connections of the ring",
          "[pure][ethernet_switch]") {
  AccessListTable list;
  list.add(detour_rule(0, 1, {}, 2));
  list.add(detour_rule(1, 0, {}, 3));
  CHECK(list.classify(header(1, 0, FrameKind::ack), 1, 0) == 3);
  AccessRule writes = detour_rule(5, 6, {}, 4);
  writes.traffic = AccessRule::Traffic::roce_write;
  list.add(writes);
  CHECK(list.classify(header(5, 6, FrameKind::ack), 1, 0) == none);
  CHECK(list.classify(header(5, 6, FrameKind::write_only), 1, 0) == 4);
}

TEST_CASE("access list: the first rule that matches counts, with or without stations", "[pure][ethernet_switch]") {
  AccessListTable list;
  AccessRule from_9;
  from_9.source = 9;
  from_9.redirect = 1;
  AccessRule pair = from_9;
  pair.destination = 3;
  pair.redirect = 2;
  AccessRule rest;
  rest.ports = std::bitset<max_ethernet_ports>(1u << 6);
  rest.redirect = 3;
  list.add(from_9);
  list.add(pair);  // never reached
  list.add(rest);
  CHECK(list.classify(header(9, 3), 0, 0) == 1);
  CHECK(list.classify(header(8, 3), 6, 0) == 3);
  CHECK(list.classify(header(8, 3), 5, 0) == none);
  list.clear();
  list.add(pair);
  list.add(from_9);
  CHECK(list.classify(header(9, 3), 6, 0) == 2);
  CHECK(list.classify(header(9, 4), 6, 0) == 1);
}

TEST_CASE("access list: at most 256 rules, and each leads to a port", "[pure][ethernet_switch]") {
  AccessListTable list;
  for (std::uint16_t i = 0; i < AccessListTable::usual_rules; ++i) list.add(detour_rule(i, 0, {}, i % 128u));
  CHECK_THROWS_AS(list.add(AccessRule{}), std::length_error);
  CHECK(list.classify(header(255, 0), 0, 0) == 127);
  AccessRule rule;
  rule.redirect = max_ethernet_ports;
  list.clear();
  CHECK_THROWS_AS(list.add(rule), std::invalid_argument);
}

TEST_CASE("routes: a connection keeps its port, and connections use all ports", "[pure][ethernet_switch]") {
  EthernetRoutes routes(3);
  routes.set(7, {2, 5, 8, 9});
  routes.set(1, {4});
  std::array<unsigned, 10> flows{};
  for (unsigned port = 49'152; port < 65'536; ++port) {
    const unsigned route = routes.port(7, static_cast<std::uint16_t>(port));
    CHECK(route == routes.port(7, static_cast<std::uint16_t>(port)));
    ++flows[route];
  }
  for (const unsigned route : {2u, 5u, 8u, 9u}) CHECK(std::abs(static_cast<int>(flows[route]) - 4096) < 5 * 56);
  CHECK(routes.port(1, 50'000) == 4);
  CHECK(routes.knows(1));
  CHECK(!routes.knows(2));
  CHECK_THROWS_AS(routes.port(2, 0), std::logic_error);
  CHECK_THROWS_AS(routes.port(900, 0), std::logic_error);
  CHECK_THROWS_AS(routes.set(3, {}), std::invalid_argument);
}

TEST_CASE("access list: a rule may name the queue pair of the destination", "[pure][ethernet_switch]") {
  AccessListTable list;
  AccessRule rule = detour_rule(1, 2, {}, 7);
  rule.queue_pair = 5;
  list.add(rule);
  RoceHeader h;
  h.kind = FrameKind::write_middle;
  h.source = 1, h.destination = 2, h.queue_pair = 5;
  CHECK(list.classify(h, 0, 0) == 7);
  h.queue_pair = 6;
  CHECK(list.classify(h, 0, 0) == AccessTransaction::none);
}

// More connections than verdicts are kept: 24 stations each way, 4 queue pairs, 3 ports and all kinds.
TEST_CASE("access list: a frame gets the first rule that matches, also after rules are added or removed",
          "[pure][ethernet_switch]") {
  std::mt19937 random(7);
  const auto below = [&](unsigned bound) { return static_cast<std::uint16_t>(random() % bound); };
  AccessListTable list;
  std::vector<std::uint64_t> hits;
  const auto check_frames = [&](int frames) {
    for (int i = 0; i < frames; ++i) {
      RoceHeader h = header(below(24), below(24), static_cast<FrameKind>(below(13)));
      h.queue_pair = below(4);
      const unsigned port = below(3);
      unsigned first = 0;
      while (first < list.rules() && !list.rule(first).matches(h, port)) ++first;
      const bool found = first < list.rules();
      REQUIRE(list.classify(h, port, 0) == (found ? list.rule(first).redirect : none));
      if (found) ++hits[first];
    }
  };
  for (int change = 0; change < 40; ++change) {
    AccessRule rule;
    rule.ports = std::bitset<max_ethernet_ports>(below(8));
    if (below(2) != 0) rule.source = below(24);
    if (below(4) != 0) rule.destination = below(24);
    if (below(3) == 0) rule.queue_pair = below(4);
    rule.traffic = static_cast<AccessRule::Traffic>(below(3));
    rule.redirect = below(max_ethernet_ports);
    if (change == 20) list.clear(), hits.clear();
    list.add(rule), hits.push_back(0);
    check_frames(1000);
  }
  for (unsigned r = 0; r < list.rules(); ++r) CHECK(list.hits(r) == hits[r]);
}

}  // namespace tributary::test_access_list
