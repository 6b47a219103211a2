// Tests the probes of a NIC: its partial sums, and the rows of its schedule table (Huang et al., ISCA 2021, IV-A).
#include <catch2/catch.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "modules/nic/core/reduction_core.h"
#include "modules/nic/core/schedule_engine.h"
#include "testbench/test/harness/plain_table.h"

namespace tributary::test_nic_probes {
namespace {

using Op = ScheduleEntry::Op;
using Kind = ReductionEvent::Kind;
constexpr std::uint16_t nil = ScheduleEntry::nil;

struct Seen {
  Tick time;
  Kind kind;
  std::uint64_t tree;
  unsigned count, expected, source;
  double operand, value;  // -1: none
};
bool operator==(const Seen& a, const Seen& b) {
  return std::tie(a.time, a.kind, a.tree, a.count, a.expected, a.source, a.operand, a.value) ==
         std::tie(b.time, b.kind, b.tree, b.count, b.expected, b.source, b.operand, b.value);
}

struct SeenRow {
  Tick time;
  ScheduleRowEvent::Kind kind;
  unsigned row, waits;
  bool ready;
};
bool operator==(const SeenRow& a, const SeenRow& b) {
  return std::tie(a.time, a.kind, a.row, a.waits, a.ready) == std::tie(b.time, b.kind, b.row, b.waits, b.ready);
}

/// Records everything that the probes below `prefix` fire.
struct Watch {
  explicit Watch(ProbeDirectory& directory) {
    directory.for_each<ReductionProbe>([this](const std::string&, ReductionProbe& probe) {
      probe.attach(this, [](void* watch, Tick time, const ReductionEvent& e) {
        const auto number = [&](const std::byte* data) { return data == nullptr ? -1 : first_element(e.type, data); };
        static_cast<Watch*>(watch)->sums.push_back(
            {time, e.kind, e.block, e.count, e.expected, e.source, number(e.operand), number(e.value)});
      });
    });
    directory.for_each<ScheduleRowProbe>([this](const std::string&, ScheduleRowProbe& probe) {
      probe.attach(this, [](void* watch, Tick time, const ScheduleRowEvent& e) {
        static_cast<Watch*>(watch)->rows.push_back({time, e.kind, e.row, e.waits, e.ready});
      });
    });
  }
  std::vector<Seen> sums;
  std::vector<SeenRow> rows;
};

template <class T>
const std::byte* bytes_of(const T& value) {
  return reinterpret_cast<const std::byte*>(&value);
}

class Bench : public ScheduleListener {
 public:
  Bench() : table(16), reduction({}, 1_ns), engine(config(), *this, table, reduction) {
    engine.describe(directory, "nic.");
    engine.sums.begin(9, ElementType::f32, ReduceOp::sum);
  }
  void send(const ScheduleEntry&, Tick) override {}
  void operation_done(Tick) override {}

  PlainTable table;
  ReductionCore reduction;
  ScheduleEngine engine;
  ProbeDirectory directory;

 private:
  static ScheduleEngine::Config config() {
    ScheduleEngine::Config c;
    c.node = 9;
    c.link_rate = 16_GBps;
    c.params.lockstep.kind = Lockstep::off;
    c.params.issue_interval = 0_ns;
    c.table_rows = 16;
    return c;
  }
};

}  // namespace

TEST_CASE("partial sums equal those of the host, operand by operand", "[pure][nic]") {
  ChunkSums sums;
  ProbeDirectory directory;
  sums.describe(directory, "nic.sum.");
  Watch watch(directory);
  REQUIRE(sums.observed());
  sums.begin(9, ElementType::i32, ReduceOp::sum);
  const std::int32_t own = 1'000, first = 20, second = -3;
  // the first packets arrive together; the chunks are complete and added in sequence
  sums.operand(4, 7, bytes_of(first), bytes_of(own));
  sums.operand(4, 8, bytes_of(second), bytes_of(own));
  sums.queued(100, 4, 3);
  sums.queued(110, 4, 3);
  sums.added(120, 4, 8);
  sums.added(130, 4, 7);
  sums.sent(150, 4);
  sums.sent(160, 4);  // another row of the same tree: the sum has ended
  const unsigned none = ReductionEvent::no_source;
  CHECK(watch.sums == std::vector<Seen>{{100, Kind::allocated, 4, 1, 3, 9, 1000, 1000},
                                        {120, Kind::merged, 4, 2, 3, 8, -3, 997},
                                        {130, Kind::merged, 4, 3, 3, 7, 20, 1017},
                                        {130, Kind::completed, 4, 3, 3, none, -1, 1017},
                                        {150, Kind::freed, 4, 3, 3, none, -1, 1017}});
}

TEST_CASE("partial sums round to their element type, and support max", "[pure][nic]") {
  const auto last_value = [](ElementType type, ReduceOp op, const auto& own, const auto& operand) {
    ChunkSums sums;
    ProbeDirectory directory;
    sums.describe(directory, "nic.sum.");
    Watch watch(directory);
    sums.begin(0, type, op);
    sums.operand(1, 2, bytes_of(operand), bytes_of(own));
    sums.queued(0, 1, 2);
    sums.added(0, 1, 2);
    return watch.sums.back().value;
  };
  CHECK(last_value(ElementType::f16, ReduceOp::sum, to_f16(2048), to_f16(1)) == 2048);  // 11 bits: a tie, to even
  CHECK(last_value(ElementType::f32, ReduceOp::sum, 2048.0f, 1.0f) == 2049);
  CHECK(last_value(ElementType::bf16, ReduceOp::max, to_bf16(-2), to_bf16(-7)) == -2);
}

TEST_CASE("dependencies of table rows clear one by one, and rows end when they are issued", "[pure][nic]") {
  Bench b;
  Watch watch(b.directory);
  struct Cleared {
    std::vector<std::pair<Tick, std::uint64_t>> all;
  } strobes;
  b.engine.dependency_cleared.attach(
      &strobes, [](void* all, Tick time, std::uint64_t tree) { static_cast<Cleared*>(all)->all.emplace_back(time, tree); });
  // Tree 3 comes from nodes 1 and 2 and goes to 5; its result returns from 5 and goes to 2 and 1.
  b.engine.post({{{Op::reduce, 3, 5, {1, 2, nil, nil}, 1, 0, 64},
                  {Op::nop, nil, nil, {nil, nil, nil, nil}, 2, 0, 64},
                  {Op::gather, 3, 5, {2, 1, nil, nil}, 3, 0, 64}},
                 2,
                 1,
                 true,
                 ElementType::f32,
                 0,
                 500},
                1'000);
  b.engine.receive(Op::reduce, 3, 2, 64, 2'000);
  b.engine.receive(Op::reduce, 3, 1, 64, 5'000);
  b.engine.receive(Op::gather, 3, 5, 64, 9'000);
  b.engine.run_until(never - 1);
  using Row = ScheduleRowEvent::Kind;
  // 16 elements need one pass of 1 ns in the reduction unit
  CHECK(watch.rows == std::vector<SeenRow>{{500, Row::loaded, 0, 0b00011, false},
                                           {500, Row::loaded, 1, 0, true},
                                           {500, Row::loaded, 2, 0b10000, false},
                                           {3'000, Row::cleared, 0, 0b00001, false},
                                           {6'000, Row::cleared, 0, 0, true},
                                           {6'000, Row::issued, 0, 0, true},
                                           {6'000, Row::issued, 1, 0, true},
                                           {9'000, Row::cleared, 2, 0, true},
                                           {9'000, Row::issued, 2, 0, true}});
  CHECK(strobes.all == std::vector<std::pair<Tick, std::uint64_t>>{{3'000, 3}, {6'000, 3}, {9'000, 3}});
  // without data: counts and senders
  const unsigned none = ReductionEvent::no_source;
  CHECK(watch.sums == std::vector<Seen>{{2'000, Kind::allocated, 3, 1, 3, 9, -1, -1},
                                        {3'000, Kind::merged, 3, 2, 3, 2, -1, -1},
                                        {6'000, Kind::merged, 3, 3, 3, 1, -1, -1},
                                        {6'000, Kind::completed, 3, 3, 3, none, -1, -1},
                                        {6'000, Kind::freed, 3, 3, 3, none, -1, -1}});
}

TEST_CASE("the root of a reduce-scatter knows its operands even if no row names its tree", "[pure][nic]") {
  Bench b;
  Watch watch(b.directory);
  // It forwards tree 3 for one child, and is the root of tree 9, of which it receives two Reduces.
  b.engine.post({{{Op::reduce, 3, 5, {1, nil, nil, nil}, 1, 0, 64}}, 3, 0, true, ElementType::f32}, 0);
  b.engine.receive(Op::reduce, 9, 1, 64, 10);
  b.engine.run_until(never - 1);
  REQUIRE(watch.sums.size() == 2);
  CHECK(watch.sums[0].expected == 3);
}

}  // namespace tributary::test_nic_probes
