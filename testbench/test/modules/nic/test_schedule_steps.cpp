// Tests one NIC and its schedule: the length of steps, and the order of their entries (Huang et al., ISCA 2021, IV-A).
#include <catch2/catch.hpp>
#include <map>
#include <utility>
#include <vector>

#include "testbench/test/harness/schedule_bench.h"

namespace tributary::test_schedule_steps {

using namespace tributary::schedule_bench;
using Op = ScheduleEntry::Op;

TEST_CASE("a step lasts at least the time of a chunk", "[pure][nic]") {
  Bench b(config());
  b.engine.post(operation({reduce(1, nil, 1), reduce(2, nil, 1), reduce(3, nil, 2), reduce(4, nil, 3)}), 500);
  CHECK(b.engine.run_until(499) == 500);
  CHECK(b.issued.empty());
  CHECK(b.engine.run_until(500) == 500 + chunk_time);
  CHECK(b.engine.step() == 1);
  CHECK(b.engine.run_until(10 * chunk_time) == never);
  CHECK(b.issued == std::vector<Issued>{{500, 1, 500},
                                        {500, 2, 500},
                                        {500 + chunk_time, 3, 500 + chunk_time},
                                        {500 + 2 * chunk_time, 4, 500 + 2 * chunk_time}});
  CHECK(b.done == 500 + 2 * chunk_time);
}

TEST_CASE("when free running, steps follow immediately, and still in order", "[pure][nic]") {
  Bench b(config(Lockstep::off));
  b.engine.post(operation({reduce(1, nil, 1), nop(2), reduce(3, nil, 3)}), 0);
  b.engine.run_until(0);
  CHECK(b.issued == std::vector<Issued>{{0, 1, 0}, {0, 3, 0}});
  CHECK(b.engine.step() == 3);
}

TEST_CASE("a NOP makes a NIC wait for a step, and with nop_only no other step does", "[pure][nic]") {
  for (const Lockstep kind : {Lockstep::every_step, Lockstep::nop_only}) {
    Bench b(config(kind));
    b.engine.post(operation({reduce(1, nil, 1), nop(2), nop(3), reduce(4, nil, 4)}), 0);
    b.engine.run_until(10 * chunk_time);
    CHECK(b.issued.back().when == (kind == Lockstep::every_step ? 3 : 2) * chunk_time);
  }
}

TEST_CASE("steps without entries in the table are skipped", "[pure][nic]") {
  Bench b(config());
  b.engine.post(operation({reduce(1, nil, 3), reduce(2, nil, 7)}), 0);
  b.engine.run_until(10 * chunk_time);
  CHECK(b.issued == std::vector<Issued>{{0, 1, 0}, {chunk_time, 2, chunk_time}});
  CHECK(b.engine.step() == 7);
}

TEST_CASE("the longest chunk of a step determines its length", "[pure][nic]") {
  ScheduleEntry large = reduce(2, nil, 1);
  large.bytes = 3 * chunk;
  for (const std::vector<ScheduleEntry>& step :
       {std::vector<ScheduleEntry>{reduce(1, nil, 1), large}, std::vector<ScheduleEntry>{large, reduce(1, nil, 1)}}) {
    Bench b(config());
    b.engine.post(operation({step[0], step[1], reduce(3, nil, 2)}), 0);
    b.engine.run_until(10 * chunk_time);
    CHECK(b.issued.back().when == 3 * chunk_time);
  }
}

TEST_CASE("a step begins only when the reduction unit is idle", "[pure][nic]") {
  ScheduleEngine::Config c = config();
  c.params.reduction = {16, 32, 16};
  Bench b(c);
  b.engine.post(operation({reduce(1, nil, 1), reduce(2, nil, 2)}, 2), 0);
  b.engine.receive(Op::reduce, 0, 5, chunk, chunk_time - 1000);  // for a tree whose root is this node
  b.engine.receive(Op::reduce, 0, 6, chunk, chunk_time - 1000);
  b.engine.run_until(10 * chunk_time);
  CHECK(b.issued[1].when == chunk_time - 1000 + 2 * 32'000);  // 1024 elements: 2 passes of 16 cycles per chunk
  CHECK(b.done == b.issued[1].when);
}

TEST_CASE("the head blocks later entries unless the whole step is inspected", "[pure][nic]") {
  for (const Inspection inspection : {Inspection::head, Inspection::step}) {
    ScheduleEngine::Config c = config();
    c.params.table.inspection = inspection;
    Bench b(c);
    b.engine.post(operation({reduce(2, 7, 1), reduce(3, nil, 1), reduce(4, nil, 2)}, 1), 0);
    b.engine.run_until(5 * chunk_time);
    CHECK(b.issued.size() == (inspection == Inspection::head ? 0 : 1));  // never an entry of the next step
    b.engine.receive(Op::reduce, 2, 7, chunk, 6 * chunk_time);
    b.engine.run_until(9 * chunk_time);
    CHECK(b.issued.size() == 3);
    CHECK(b.issued.back().tree == 4);
  }
}

TEST_CASE("a late entry may reload the down-counter", "[pure][nic]") {
  for (const LockstepLoad load : {LockstepLoad::step_start, LockstepLoad::issue}) {
    ScheduleEngine::Config c = config();
    c.params.lockstep.load = load;
    Bench b(c);
    b.engine.post(operation({reduce(2, 7, 1), reduce(3, nil, 2)}, 1), 0);
    b.engine.receive(Op::reduce, 2, 7, chunk, 5 * chunk_time);
    b.engine.run_until(9 * chunk_time);
    REQUIRE(b.issued.size() == 2);
    const Tick late = 5 * chunk_time + 1000;
    CHECK(b.issued[0].when == late);
    CHECK(b.issued[1].when == late + (load == LockstepLoad::issue ? chunk_time : 0));
  }
}

TEST_CASE("the decoder issues one entry per interval, and memory answers each", "[pure][nic]") {
  ScheduleEngine::Config c = config();
  c.params.issue_interval = 1_ns;
  c.params.memory.latency = 100_ns;
  Bench b(c);
  b.engine.post(operation({reduce(1, nil, 1), reduce(2, nil, 1), reduce(3, nil, 1), reduce(4, nil, 2)}), 0);
  b.engine.run_until(10 * chunk_time);
  CHECK(b.issued ==
        std::vector<Issued>{{0, 1, 100'000}, {1000, 2, 101'000}, {2000, 3, 102'000}, {chunk_time, 4, chunk_time + 100'000}});
}

// The first step has two rows, and the next row marks its end: three reads. The row of the third step is read, and the end
// of the table known, during the second step. n rows last (n - 1) x (nominal + interval) + nominal + latency.
TEST_CASE("a step begins when its rows have been read from the table, back to back", "[pure][nic]") {
  struct Times {
    Tick nominal, latency, interval;
  };
  for (const Times t : {Times{100'000, 0, 0}, Times{0, 100'000, 0}, Times{0, 0, 100'000}, Times{4'000, 100'000, 7'000}}) {
    INFO(t.nominal << " " << t.latency << " " << t.interval);
    ScheduleEngine::Config c = config(Lockstep::off);
    c.params.table.read = Time{t.nominal};
    Bench b(c, {t.latency, t.interval});
    b.engine.post(operation({reduce(1, nil, 1), reduce(2, nil, 1), reduce(3, nil, 2), reduce(4, nil, 3)}), 5000);
    b.engine.run_until(6000);
    CHECK(b.engine.waiting()[0] == "schedule: entry 1 of 4, reduce of tree 1 in step 1, waits for the schedule table @5000");
    b.engine.run_until(10'000'000);
    const Tick answer = t.nominal + t.latency, next = t.nominal + t.interval;
    const Tick first = 5000 + 2 * next + answer;
    const Tick second = std::max(first, 5000 + 3 * next) + answer;  // the fourth row, requested during the first step
    CHECK(b.issued == std::vector<Issued>{{first, 1, first}, {first, 2, first}, {second, 3, second}, {second, 4, second}});
    REQUIRE(b.table.requests.size() == 4);
    CHECK(std::vector<Tick>(b.table.requests.begin(), b.table.requests.begin() + 3) ==
          std::vector<Tick>{5000, 5000 + next, 5000 + 2 * next});
  }
}

/// A table whose first row has a latency of 300 ns, and the others 10 ns.
struct UnevenTable : PlainTable {
  using PlainTable::PlainTable;
  AccessTime read(std::uint32_t row, EntryCode& code, Tick now, AnswerListener& listener) override {
    PlainTable::read(row, code, now, listener);
    return {row == 0 ? Tick{300'000} : Tick{10'000}, 0};
  }
};

TEST_CASE("rows are answered in the order of their requests", "[pure][nic]") {
  UnevenTable table(8);
  std::uint32_t row = 0;
  for (const ScheduleEntry& e : {reduce(1, nil, 1), reduce(2, nil, 2), reduce(3, nil, 3)}) table.write(row++, encode(e));
  struct : AnswerListener {
    void answered(Ticket, Tick) override {}
  } none;
  ScheduleReader reader(table, none, 1000);
  reader.start(3, 0);
  CHECK(reader.next_ready() == 301'000);  // the row that marks the end of the step would be ready at 12 ns
  reader.next_step(301'000);
  CHECK(reader.next_ready() == 312'000);
}

// NOPs that name the children for which a Reduce has no room are in the step of the Reduce.
TEST_CASE("NOPs of one step wait together", "[pure][nic]") {
  Bench b(config());
  const ScheduleEntry names{Op::nop, 1, nil, {7, nil, nil, nil}, 1, 0, chunk};
  b.engine.post(operation({reduce(2, nil, 1), names, names, names, reduce(3, nil, 2)}), 0);
  b.engine.run_until(10 * chunk_time);
  CHECK(b.issued == std::vector<Issued>{{0, 2, 0}, {chunk_time, 3, chunk_time}});
}

TEST_CASE("chunks over one link share its time, and chunks over parallel links do not", "[pure][nic]") {
  const std::vector<ScheduleEntry> same{reduce(1, nil, 1), reduce(1, nil, 1), reduce(3, nil, 2)};  // to one node
  const auto second_step = [&](std::map<std::uint16_t, ScheduleListener::SendPath> paths) {
    std::vector<ScheduleEntry> entries = same;
    entries[1].tree = 2;  // also to nic101
    Bench b(config());
    b.paths = std::move(paths);
    b.engine.post(operation(entries), 0);
    b.engine.run_until(10 * chunk_time);
    return b.issued.back().when;
  };
  CHECK(second_step({}) == 2 * chunk_time);                                    // over one link
  CHECK(second_step({{1, {10, {}}}, {2, {11, {}}}}) == chunk_time);            // over two links
  CHECK(second_step({{1, {10, 32_GBps}}, {2, {10, 32_GBps}}}) == chunk_time);  // over one link of twice the rate
  // a step is at least as long as in its schedule
  CHECK(second_step({{1, {10, 64_GBps}}, {2, {10, 64_GBps}}}) == chunk_time);
}

}  // namespace tributary::test_schedule_steps
