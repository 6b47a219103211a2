// Tests the parts of a schedule NIC separately (Huang et al., ISCA 2021, IV-A).
#include <catch2/catch.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include "modules/base/parameter_set.h"
#include "modules/nic/core/dependency_table.h"
#include "modules/nic/core/dma_reader.h"
#include "modules/nic/core/lockstep_timer.h"
#include "modules/nic/core/reduction_core.h"
#include "modules/nic/core/schedule_check.h"
#include "modules/nic/core/schedule_reader.h"
#include "modules/nic/core/schedule_rows.h"
#include "testbench/test/harness/plain_table.h"

namespace tributary::test_nic_parts {
namespace {

using Op = ScheduleEntry::Op;
constexpr std::uint16_t nil = ScheduleEntry::nil;
using Children = std::array<std::uint16_t, 4>;

ScheduleEntry up(unsigned tree, unsigned parent, Children children, unsigned step) {
  return {Op::reduce, static_cast<std::uint16_t>(tree), static_cast<std::uint16_t>(parent),
          children,   static_cast<std::uint16_t>(step), 0,
          64};
}
ScheduleEntry down(unsigned tree, unsigned parent, Children children, unsigned step) {
  ScheduleEntry e = up(tree, parent, children, step);
  e.op = Op::gather;
  return e;
}
constexpr Children none{nil, nil, nil, nil};

}  // namespace

TEST_CASE("an entry has 200 bits", "[pure][nic]") {
  const ScheduleEntry e{Op::gather, 0x1234, 0xFEDC, {1, 2, 0xABCD, nil}, 0x8001, 0xFFFF'FFFF'FFFFull, 0xDEADBEEF};
  const EntryCode code = encode(e);
  CHECK(code.size() == 25);
  const ScheduleEntry back = decode(code);
  CHECK((back.op == e.op && back.tree == e.tree && back.parent == e.parent && back.children == e.children));
  CHECK((back.step == e.step && back.start == e.start && back.bytes == e.bytes));
  CHECK(code[0] == std::byte{1});
  CHECK(code[3] == std::byte{0xDC});
  ScheduleEntry far = e;
  far.start = std::uint64_t{1} << 48;
  CHECK_THROWS_AS(encode(far), std::out_of_range);
  EntryCode wrong = code;
  wrong[0] = std::byte{3};
  CHECK_THROWS_AS(decode(wrong), std::invalid_argument);
}

TEST_CASE("128 entries for 64 nodes need 3.2 KB", "[pure][nic]") { CHECK(ScheduleRows::storage_bytes(128) == 3200); }

TEST_CASE("the error for a schedule that is too long names the node, its entries and the capacity", "[pure][nic]") {
  CHECK(table_overflow(5, 3, 2) == "nic5: the schedule needs 3 table entries, and the table holds 2");
}

TEST_CASE("the table holds whole rows, and refuses accesses beyond the last one", "[pure][nic]") {
  ScheduleRows rows(2);
  const EntryCode entry = encode(up(7, 1, none, 3));
  CHECK(rows.write(25, entry.data(), 25, 0));
  EntryCode back{};
  CHECK((rows.read(25, back.data(), 25, 0) && back == entry));
  CHECK((rows.read(0, back.data(), 25, 0) && back == EntryCode{}));
  CHECK_FALSE(rows.write(26, entry.data(), 25, 0));
  CHECK_FALSE(rows.read(50, back.data(), 1, 0));
  CHECK_FALSE(rows.read(~std::uint64_t{0}, back.data(), 25, 0));
  rows.reset();
  CHECK((rows.read(25, back.data(), 25, 0) && back == EntryCode{}));
}

TEST_CASE("entries that cannot be executed are refused", "[pure][nic]") {
  const auto error = [&](std::vector<ScheduleEntry> entries) -> std::string {
    try {
      check_schedule(3, entries);
    } catch (const ScheduleTableError& e) {
      return e.what();
    }
    return "";
  };
  CHECK(error({up(0, 1, none, 2), up(1, 1, none, 1)}) == "nic3: entry 1 (reduce of tree 1 in step 1) comes after step 2");
  CHECK(error({up(0, 1, none, 0)}) == "nic3: entry 0 (reduce of tree 0 in step 0) comes after step 1");
  CHECK(error({up(0, nil, none, 1)}) == "nic3: entry 0 (reduce of tree 0 in step 1) has no parent to send to");
  CHECK(error({down(7, 1, none, 1)}) == "nic3: entry 0 (gather of tree 7 in step 1) has no children to send to");
  CHECK(error({up(0, 3, none, 1)}) == "nic3: entry 0 (reduce of tree 0 in step 1) has its own node as parent or child");
  CHECK(error({down(0, 1, {2, 3, nil, nil}, 1)}).find("its own node") != std::string::npos);
  CHECK(error({up(nil, 1, none, 1)}).find("has no tree") != std::string::npos);
  ScheduleEntry e = up(0, 1, none, 1);
  e.bytes = 0;
  CHECK(error({e}).find("has no bytes") != std::string::npos);
  e = up(0, 1, none, 1);
  e.start = std::uint64_t{1} << 48;
  CHECK(error({e}).find("48 bits") != std::string::npos);
  CHECK(error({{Op::nop, nil, nil, none, 4, 0, 0}}) == "");
}

TEST_CASE("entries are taken from the head, or after it in the same step", "[pure][nic]") {
  PlainTable table(8);
  std::uint32_t row = 0;
  for (const ScheduleEntry& e : {up(1, 1, none, 1), up(2, 1, none, 1), up(3, 1, none, 2)}) table.write(row++, encode(e));
  struct : AnswerListener {
    void answered(Ticket, Tick) override {}
  } none;
  ScheduleReader r(table, none);
  r.start(3, 0);
  CHECK((!r.step_left() && r.first().tree == 1 && r.first_number() == 1 && !r.empty()));
  r.next_step(0);
  CHECK((r.step_left() && r.size() == 2));
  r.take(1, 0);
  CHECK((r.first().tree == 1 && r.taken(1) && !r.taken(0)));
  r.take(0, 0);
  CHECK((!r.step_left() && r.first().tree == 3 && r.first_number() == 3));
  r.next_step(0);
  CHECK((r.size() == 1 && r.step_left()));
  r.take(0, 0);
  CHECK(r.empty());
  r.reset();
  CHECK((r.empty() && r.rows() == 0));
}

TEST_CASE("a reduce waits for each of its children, by tree and child", "[pure][nic]") {
  DependencyTable d(0);
  const ScheduleEntry e = up(2, 9, {4, 5, nil, nil}, 2), leaf = up(3, 9, none, 1);
  d.load({leaf, e}, true);
  CHECK(d.satisfied(leaf));
  CHECK_FALSE(d.satisfied(e));
  CHECK(d.missing(e) == "the reduces of nic4, nic5");
  d.reduced(2, 5);
  CHECK(d.missing(e) == "the reduces of nic4");
  CHECK_THROWS_WITH(d.reduced(2, 5), "nic0: a reduce of tree 2 from nic5, for the second time");
  CHECK_THROWS_WITH(d.reduced(2, 6), "nic0: a reduce of tree 2 from nic6, which is not a child");
  CHECK_THROWS_AS(d.reduced(3, 4), std::logic_error);  // reduce from a leaf
  d.reduced(2, 4);
  CHECK(d.satisfied(e));
}

TEST_CASE("the root gathers when all reduces have arrived, even if no single entry names all children", "[pure][nic]") {
  DependencyTable d(0);
  const ScheduleEntry first = down(0, nil, {1, nil, nil, nil}, 3), second = down(0, nil, {2, nil, nil, nil}, 4);
  d.load({first, second}, true);
  d.reduced(0, 1);
  CHECK_FALSE(d.satisfied(first));  // its sum would lack the chunk of nic2
  d.reduced(0, 2);
  CHECK((d.satisfied(first) && d.satisfied(second)));
  d.load({first, second}, false);  // an all-gather
  CHECK((d.satisfied(first) && d.satisfied(second)));
}

TEST_CASE("a tree's gathers name the children of a reduce beyond four", "[pure][nic]") {
  DependencyTable d(0);
  const ScheduleEntry entry = up(1, 9, {2, 3, 4, 5}, 2);
  d.load({entry, down(1, 9, {2, 3, 4, 5}, 3), down(1, 9, {6, nil, nil, nil}, 4)}, true);
  for (std::uint16_t child = 2; child <= 5; ++child) d.reduced(1, child);
  CHECK_FALSE(d.satisfied(entry));
  CHECK(d.missing(entry) == "the reduces of nic6");
  d.reduced(1, 6);
  CHECK(d.satisfied(entry));
}

TEST_CASE("every other gather waits for the parent's gather", "[pure][nic]") {
  DependencyTable d(3);
  const ScheduleEntry e = down(2, 1, {0, nil, nil, nil}, 4);
  d.load({e}, false);
  CHECK_FALSE(d.satisfied(e));
  CHECK(d.missing(e) == "the gather of nic1");
  CHECK_THROWS_WITH(d.gathered(2, 0), "nic3: a gather of tree 2 from nic0, which is not the parent");
  d.gathered(2, 1);
  CHECK(d.satisfied(e));
  CHECK_THROWS_AS(d.gathered(2, 1), std::logic_error);
  d.gathered(7, 0);  // a leaf of an all-gather has no entry for the tree
  CHECK_THROWS_AS(d.gathered(7, 0), std::logic_error);
}

TEST_CASE("a root without entries counts its children's Reduces, and a tree with two parents is refused", "[pure][nic]") {
  DependencyTable d(3);
  d.load({}, true);
  d.reduced(3, 1);
  d.reduced(3, 2);
  CHECK_THROWS_AS(d.reduced(3, 1), std::logic_error);
  CHECK_THROWS_WITH(d.load({up(1, 5, none, 1), down(1, 6, {2, nil, nil, nil}, 2)}, true),
                    "nic3: tree 1 has two parents, nic5 and nic6");
  CHECK_THROWS_WITH(d.load({up(1, 5, none, 1), down(1, nil, {2, nil, nil, nil}, 2)}, true),
                    "nic3: tree 1 has two parents, nic5 and none");
}

TEST_CASE("a step is estimated by the flits of a chunk, less the NI buffer if the chunk is larger", "[pure][nic]") {
  const FlowControlParams packets{FlowControl::packet, 256_B}, messages{FlowControl::message, 256_B};
  const StepEstimate any(packets, std::nullopt, 16_GBps);  // a flit needs 1 ns
  CHECK((any.flits(65536) == 256 * 17 && any.time(65536) == 256 * 17'000));
  CHECK(StepEstimate(messages, std::nullopt, 16_GBps).flits(65536) == 4097);
  const StepEstimate small(packets, 318_B * 16, 16_GBps);
  CHECK(small.flits(256 * 18) == 306);          // fits into the buffer of 318 flits
  CHECK(small.flits(65536) == 256 * 17 - 318);  // does not fit
  CHECK(StepEstimate(packets, 0_B, 16_GBps).flits(65536) == 256 * 17);
  CHECK(StepEstimate(packets, std::nullopt, 3_GBps).time(16) == 10'667);  // two flits of 5.333 ns, rounded up
}

TEST_CASE("the down-counter is loaded by steps, and optionally by entries", "[pure][nic]") {
  LockstepTimer t;
  CHECK((t.step() == 0 && t.zero_at() == 0));
  t.begin(1, 1000, 500);
  CHECK((t.step() == 1 && t.zero_at() == 1500));
  t.reload(1200, 100);
  CHECK(t.zero_at() == 1500);  // a reload never shortens it
  t.reload(1200, 500);
  CHECK(t.zero_at() == 1700);
  t.reset();
  CHECK((t.step() == 0 && t.zero_at() == 0));
}

namespace {

/// Times of chunks that follow.
struct ChunkTimes : ReductionListener {
  void added(Tick when) override { sums.push_back(when); }
  void idle(Tick when) override { idle_times.push_back(when); }
  std::vector<Tick> sums, idle_times;
};

}  // namespace

TEST_CASE("the reduction unit adds 16384 elements per ns, or as the authors' simulator does", "[pure][nic]") {
  ReductionCore paper(ReductionUnitParams{}, 1_ns);
  CHECK((paper.time(16384) == 1000 && paper.time(16385) == 2000 && paper.time(1) == 1000 && paper.time(0) == 0));
  CHECK(paper.time(262'144) == 16'000);
  ReductionCore authors({16, 32, 16}, 1_ns);
  const auto cycles = [&](std::uint64_t received, std::uint64_t elements) {
    return received * authors.time(elements) / 1000;
  };
  CHECK(cycles(15, 32 * 1024 / 16 / 4) == 240);     // torus 4x4, 32 KiB: the authors' simulator
  CHECK(cycles(15, 1024 * 1024 / 16 / 4) == 7680);  // 1 MiB
  CHECK(cycles(63, 32 * 1024 / 64 / 4) == 1008);    // torus 8x8, 32 KiB
}

TEST_CASE("chunks are added in sequence", "[pure][nic]") {
  ReductionCore u({16, 32, 16}, 1_ns);
  ChunkTimes times;
  CHECK(u.add(1000, 512, 0, times) == 17'000);
  CHECK(u.add(5000, 512, 0, times) == 33'000);
  CHECK(u.idle_at() == 33'000);
  CHECK(u.add(50'000, 512, 0, times) == 66'000);
  CHECK(u.busy_time() == 48'000);
  u.reset();
  CHECK((u.idle_at() == 0 && u.busy_time() == 0));
}

namespace {

/// A unit with a latency and an interval for each chunk, which it takes in turn.
struct TimedUnit : ReductionUnitPort {
  explicit TimedUnit(std::vector<AccessTime> t) : times(std::move(t)) {}
  AccessTime add(Tick start, std::uint64_t, std::uint64_t, AnswerListener& unit_listener) override {
    starts.push_back(start);
    listener = &unit_listener;
    return times[(starts.size() - 1) % times.size()];
  }
  Ticket ticket() const override { return static_cast<Ticket>(starts.size()); }
  void combine(std::byte*, const std::byte*, std::uint64_t, ElementType, ReduceOp, std::uint64_t) override { ++combined; }

  std::vector<AccessTime> times;
  std::vector<Tick> starts = {};
  AnswerListener* listener = nullptr;
  unsigned combined = 0;
};

}  // namespace

// n chunks of p passes that arrive together are added at (n - 1) x (p + interval) + p + latency.
TEST_CASE("latency of a reduction unit delays each sum and takes nothing from its rate, an interval does", "[pure][nic]") {
  constexpr Tick passes = 16'000;
  for (const AccessTime time :
       {AccessTime{0, 0}, AccessTime{1, 0}, AccessTime{1'000'000, 0}, AccessTime{0, 3000}, AccessTime{50'000, 3000}}) {
    TimedUnit unit({time});
    ReductionCore u({16, 32, 16}, 1_ns, &unit);
    ChunkTimes times;
    for (Tick n = 1; n <= 10; ++n) {
      CHECK(u.add(1000, 512, 0, times) == 1000 + (n - 1) * (passes + time.interval) + passes + time.latency);
      CHECK(u.idle_at() == 1000 + n * (passes + time.interval));
      CHECK(unit.starts.back() == 1000 + (n - 1) * (passes + time.interval));
    }
  }
  ReductionUnitParams params{16, 32, 16};
  params.latency = 50_ns;
  ChunkTimes times;
  ReductionCore own(params, 1_ns);  // the model's own unit has the latency of the parameter
  CHECK((own.add(0, 512, 0, times) == 66'000 && own.add(0, 512, 0, times) == 82'000 && own.idle_at() == 32'000));
}

TEST_CASE("chunks are added in the order in which they enter the reduction unit", "[pure][nic]") {
  TimedUnit unit({{100'000, 0}, {0, 0}});
  ReductionCore u({16, 32, 16}, 1_ns, &unit);
  ChunkTimes times;
  CHECK(u.add(0, 512, 0, times) == 116'000);
  CHECK(u.add(0, 512, 0, times) == 116'000);  // it would be added at 32 ns
  u.combine(nullptr, nullptr, 0, ElementType::f32, ReduceOp::sum, 0);
  CHECK(unit.combined == 1);
}

TEST_CASE("sums that a reduction unit adds later are in the order of their chunks", "[pure][nic]") {
  TimedUnit unit({{never, 2'000}, {0, 0}, {never, 0}});
  ReductionCore u({16, 32, 16}, 1_ns, &unit);
  ChunkTimes times;
  CHECK((u.add(0, 512, 0, times) == never && u.idle_at() == 18'000));
  CHECK(u.add(0, 512, 0, times) == never);  // the unit knows its time, and the sum waits for the one before
  CHECK((u.add(0, 512, 0, times) == never && u.idle_at() == 50'000));
  unit.listener->answered(3, 34'000);
  CHECK(times.sums.empty());
  unit.listener->answered(1, 70'000);
  CHECK(times.sums == std::vector<Tick>{86'000, 86'000, 86'000});
}

TEST_CASE("a reduction unit that says later when it is idle receives chunks at the end of the passes before",
          "[pure][nic]") {
  TimedUnit unit({{never, never}});
  ReductionCore u({16, 32, 16}, 1_ns, &unit);
  ChunkTimes times;
  u.add(0, 512, 0, times), u.add(5'000, 512, 0, times);
  CHECK((unit.starts == std::vector<Tick>{0, 16'000} && u.idle_at() == never));
  unit.listener->accepted(1, 20'000);
  CHECK((u.idle_at() == never && times.idle_times.empty()));
  unit.listener->accepted(2, 40'000);
  CHECK((u.idle_at() == 40'000 && times.idle_times == std::vector<Tick>{40'000} && u.busy_time() == 40'000));
  u.add(41'000, 512, 0, times);
  unit.listener->accepted(3, 50'000);
  CHECK(u.idle_at() == 57'000);  // not before the nominal time
  u.reset();
  CHECK(u.idle_at() == 0);
}

TEST_CASE("memory answers requests in sequence, after its latency and at its rate", "[pure][nic]") {
  DmaReader ideal{NicMemoryParams{}};
  CHECK((ideal.request(700, 4096, 0).first == 700 && ideal.request(700, 4096, 0).last == 700));
  NicMemoryParams params;
  params.rate = 64_GBps;
  DmaReader d(params);
  const DmaReader::Burst a = d.request(1000, 6400, 100'000);
  CHECK((a.first == 101'000 && a.last == 201'000));
  CHECK((a.at(0) == 101'000 && a.at(64) == 102'000 && a.at(6400) == 201'000 && a.at(9999) == 201'000));
  const DmaReader::Burst b = d.request(1000, 64, 100'000);
  CHECK((b.first == 201'000 && b.last == 202'000));
  d.reset();
  CHECK(d.request(0, 64, 100'000).last == 101'000);
}

TEST_CASE("latency of a memory overlaps with other requests, an interval keeps it busy", "[pure][nic]") {
  NicMemoryParams params;
  params.rate = 64_GBps;  // 64 B in 1 ns
  DmaReader d(params);
  for (Tick n = 1; n <= 5; ++n) {
    CHECK(d.accepts(0) == (n - 1) * 3500);
    const DmaReader::Burst b = d.request(0, 64, 70'000, 2500);
    CHECK((b.first == (n - 1) * 3500 + 70'000 && b.last == b.first + 1000));
  }
  DmaReader uneven(params);
  CHECK(uneven.request(0, 64, 70'000).last == 71'000);
  CHECK(uneven.request(0, 64, 0).first == 71'000);  // answers are in the order of requests
}

TEST_CASE("parameters of a NIC have descriptions and legal ranges", "[pure][nic]") {
  NicParams p;
  ParameterSet set(p);
  set.set("table.entries", "139");
  set.set("lockstep.kind", "nop_only");
  set.set("lockstep.load", "issue");
  set.set("lockstep.buffer", "5088B");
  set.set("table.inspection", "step");
  set.set("reduction.width", "32");
  set.set("reduction.cycles", "16");
  set.set("memory.rate", "64GB/s");
  CHECK((p.table.entries == 139u && p.lockstep.kind == Lockstep::nop_only && p.lockstep.buffer == 5088_B));
  CHECK((p.table.inspection == Inspection::step && p.lockstep.load == LockstepLoad::issue));
  CHECK((p.reduction.width == 32 && p.reduction.cycles == 16 && p.memory.rate == 64_GBps));
  CHECK_THROWS_AS(set.set("table.entries", "65536"), ParameterError);
  CHECK_THROWS_AS(set.set("reduction.units", "0"), ParameterError);
  CHECK_THROWS_AS(set.set("lockstep.kind", "maybe"), ParameterError);
  for (const ParameterField& f : set.fields()) CHECK((!f.note.help().empty() && !f.note.source().empty()));
}

}  // namespace tributary::test_nic_parts
