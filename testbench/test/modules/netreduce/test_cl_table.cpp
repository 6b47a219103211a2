// Addresses of packets: Liu et al., 3.1; docs/systems/netreduce.md#addressing.
#include <catch2/catch.hpp>

#include "modules/netreduce/core/cl_table.h"

namespace tributary::test_cl_table {
namespace {

using Verdict = SlotAddress::Verdict;
constexpr ConnectionKey connection{0, 1, 7};

AggregationHeader header(std::uint32_t message, std::uint16_t packets = 170) { return {0, 3, message, packets}; }

/// Returns (verdict, message, offset).
std::tuple<Verdict, std::uint32_t, std::uint32_t> find(const ClTable& t, std::uint32_t psn) {
  const SlotAddress a = t.find(connection, psn, 0);
  return {a.verdict, a.message, a.offset};
}

AggregationParams literal(ConnectionRange range, ConnectionOrder order) {
  AggregationParams p;
  p.clt_range = range;
  p.clt_order = order;
  return p;
}

}  // namespace

TEST_CASE("a packet is PSN - PSN0 packets after the first of its message, the next message begins at MsgLen",
          "[pure][netreduce]") {
  ClTable t(2, {});
  CHECK(t.find(connection, 5, 0).verdict == Verdict::unknown);
  const SlotAddress first = t.update(connection, header(4), 1000, 0);
  CHECK((first.verdict == Verdict::found && first.rank == 3 && first.message == 4 && first.offset == 0));
  CHECK(find(t, 1000) == std::tuple(Verdict::found, 4u, 0u));
  CHECK(find(t, 1169) == std::tuple(Verdict::found, 4u, 169u));
  CHECK(std::get<0>(find(t, 1170)) == Verdict::refused);
  CHECK(t.find({0, 1, 8}, 1000, 0).verdict == Verdict::unknown);
  CHECK(t.find({1, 0, 7}, 1000, 0).verdict == Verdict::unknown);
}

TEST_CASE("go-back-N restarts up to 2N - 1 messages earlier, and PSNs wrap", "[pure][netreduce]") {
  ClTable t(2, {});
  const std::uint32_t psn0 = 100;  // message 9; message 6 begins at 100 - 510
  t.update(connection, header(9), psn0, 0);
  CHECK(find(t, 99) == std::tuple(Verdict::found, 8u, 169u));
  CHECK(find(t, Psn::add(psn0, -170)) == std::tuple(Verdict::found, 8u, 0u));
  CHECK(find(t, Psn::add(psn0, -171)) == std::tuple(Verdict::found, 7u, 169u));
  CHECK(find(t, Psn::add(psn0, -510)) == std::tuple(Verdict::found, 6u, 0u));
  CHECK(std::get<0>(find(t, Psn::add(psn0, -511))) == Verdict::stale);
  ClTable text(2, literal(ConnectionRange::window, ConnectionOrder::forward));
  text.update(connection, header(9), psn0, 0);
  CHECK(find(text, Psn::add(psn0, -340)) == std::tuple(Verdict::found, 7u, 0u));
  CHECK(std::get<0>(find(text, Psn::add(psn0, -341))) == Verdict::stale);
}

TEST_CASE("a repeated first packet is located by its header, and does not move its entry back", "[pure][netreduce]") {
  for (const ConnectionOrder order : {ConnectionOrder::forward, ConnectionOrder::last}) {
    ClTable t(1, literal(ConnectionRange::twice_window, order));
    t.update(connection, header(0xFFFFFFFF, 2), 10, 0);
    t.update(connection, header(0, 2), 12, 0);  // message numbers wrap
    const SlotAddress again = t.update(connection, header(0xFFFFFFFF, 2), 10, 0);
    CHECK((again.message == 0xFFFFFFFF && again.offset == 0));
    // An ACK advances the sender to the packet after the next first one.
    const bool found = std::get<0>(find(t, 13)) == Verdict::found;
    CHECK(found == (order == ConnectionOrder::forward));
  }
}

TEST_CASE("each connection has an entry, and a report lists those that lag in their ring", "[pure][netreduce]") {
  ClTable t(2, {});
  t.update({2, 0, 7}, {1, 0, 8, 4}, 0, 0);
  t.update({0, 1, 7}, {0, 0, 5, 4}, 0, 0);
  t.update({1, 2, 7}, {0, 1, 6, 4}, 0, 0);
  CHECK(t.behind_others() == std::vector<std::string>{"ring0: connection 0>1 at message 5, 1 behind"});
  CHECK((t.entry({2, 0, 7})->message == 8 && t.entry({2, 0, 6}) == nullptr));
  std::string text;
  StateWriter out(text);
  t.save(out);
  ClTable copy(2, {});
  StateReader in(text);
  copy.load(in);
  CHECK((in.empty() && copy.entries().size() == 3 && copy.find({1, 2, 7}, 3, 0).rank == 1));
  copy.reset();
  CHECK(copy.find({1, 2, 7}, 3, 0).verdict == Verdict::unknown);
  CHECK_THROWS_AS(t.update({0, 1, 7}, header(1, 0), 0, 0), std::invalid_argument);
  CHECK_THROWS_AS(ClTable(0, {}), std::invalid_argument);
}

TEST_CASE("probes of the table count what it drops", "[pure][netreduce]") {
  ClTable t(1, {});
  unsigned counts[5] = {};
  const auto count = [](void* n, Tick, std::uint64_t) { ++*static_cast<unsigned*>(n); };
  t.updates.attach(&counts[0], count);
  t.behind.attach(&counts[1], count);
  t.unknown.attach(&counts[2], count);
  t.refused.attach(&counts[3], count);
  t.stale.attach(&counts[4], count);
  t.find(connection, 0, 0);
  t.update(connection, header(1, 4), 4, 0);
  t.update(connection, header(2, 4), 8, 0);
  t.update(connection, header(1, 4), 4, 0);
  for (const std::uint32_t psn : {12u, 13u, 14u}) t.find(connection, psn, 0);  // the first packet of message 3 is lost
  t.find(connection, 3, 0);
  CHECK((counts[0] == 2 && counts[1] == 1 && counts[2] == 1 && counts[3] == 3 && counts[4] == 1));
}

}  // namespace tributary::test_cl_table
