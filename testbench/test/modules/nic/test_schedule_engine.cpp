// Tests one NIC and its schedule: the conditions that entries wait for, and probes (Huang et al., ISCA 2021, IV-A).
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "modules/base/waiting_since.h"
#include "testbench/test/harness/schedule_bench.h"

namespace tributary::test_schedule_engine {

using namespace tributary::schedule_bench;
using Op = ScheduleEntry::Op;

TEST_CASE("an entry with an unmet dependency waits, and waiting() names the dependency", "[pure][nic]") {
  Bench b(config());
  b.engine.post(operation({reduce(2, 7, 1), gather(0, 1, 2)}, 1, 1), 0);
  CHECK(b.engine.run_until(5 * chunk_time) == never);
  CHECK(b.issued.empty());
  CHECK(b.engine.waiting() ==
        std::vector<std::string>{"schedule: entry 1 of 2, reduce of tree 2 in step 1, waits for the reduces of nic7",
                                 "rank: 1 of 1 reduces are missing", "rank: 1 of 1 gathers are missing"});
  b.engine.receive(Op::reduce, 2, 7, chunk, 6 * chunk_time);
  CHECK(b.engine.waiting().back() == "input: 1 chunks");
  b.engine.run_until(6 * chunk_time + 999);
  CHECK(b.issued.empty());  // the chunk is being added
  CHECK(b.engine.waiting().back() == "reduction: 1 chunks");
  b.engine.run_until(7 * chunk_time);
  REQUIRE(b.issued.size() == 1);
  CHECK(b.issued[0].when == 6 * chunk_time + 1000);
  CHECK(b.engine.waiting() ==
        std::vector<std::string>{"schedule: entry 2 of 2, gather of tree 0 in step 2, waits for the gather of nic1" +
                                     waiting_since(b.issued[0].when),
                                 "rank: 1 of 1 gathers are missing" + waiting_since(6 * chunk_time + 1000)});
  b.engine.receive(Op::gather, 0, 1, chunk, 8 * chunk_time);
  b.engine.run_until(8 * chunk_time);
  CHECK(b.issued.size() == 2);
  CHECK(b.engine.waiting().empty());
  CHECK(b.done == 8 * chunk_time);
}

TEST_CASE("waiting() names the timer or unit that an entry waits for", "[pure][nic]") {
  Bench lock(config());
  lock.engine.post(operation({reduce(1, nil, 1), reduce(2, nil, 2)}), 100);
  CHECK(lock.engine.waiting()[0] == "schedule: entry 1 of 2, reduce of tree 1 in step 1, waits for its start");
  lock.engine.run_until(100);
  CHECK(lock.engine.waiting()[0] ==
        "schedule: entry 2 of 2, reduce of tree 2 in step 2, waits for the lockstep counter @100");
  ScheduleEngine::Config slow = config(Lockstep::off);
  slow.params.reduction = {1, 1, 1};  // one element per ns
  Bench unit(slow);
  unit.engine.post(operation({reduce(1, nil, 1), reduce(2, 7, 2)}, 1), 100);
  unit.engine.receive(Op::reduce, 2, 7, chunk, 50);  // before the start, as other nodes may be early
  unit.engine.run_until(200);
  REQUIRE(unit.issued.size() == 1);
  CHECK(unit.issued[0].when == 100);
  CHECK(unit.engine.waiting()[0] == "schedule: entry 2 of 2, reduce of tree 2 in step 2, waits for the reduction unit @100");
  unit.engine.run_until(2'000'000);
  CHECK(unit.issued[1].when == 50 + 1'024'000);
}

TEST_CASE("a NIC without entries ends when all chunks have arrived", "[pure][nic]") {
  Bench b(config());
  b.engine.post(operation({}, 2, 0), 0);
  b.engine.run_until(100);
  CHECK(b.done == never);
  b.engine.receive(Op::reduce, 0, 1, chunk, 500);
  b.engine.receive(Op::reduce, 0, 2, chunk, 200);  // calls may be in any order
  b.engine.run_until(5000);
  CHECK(b.done == 200 + 2000);  // added in sequence
  Bench nothing(config());
  nothing.engine.post(operation({}), 70);
  nothing.engine.run_until(100);
  CHECK(nothing.done == 70);
}

TEST_CASE("chunks of one instant are added in the order of their trees and senders, whatever the order of the calls",
          "[pure][nic]") {
  struct Chunk {
    std::uint16_t tree, from;
    std::uint64_t bytes;
  };
  using Cleared = std::vector<std::pair<Tick, std::uint64_t>>;
  // One element in a nanosecond: a chunk of 4096 B lasts 1024 ns, one of 8192 B lasts 2048 ns.
  std::vector<Chunk> chunks{{1, 9, chunk}, {2, 7, 2 * chunk}, {2, 8, chunk}};
  const auto before = [](const Chunk& a, const Chunk& b) { return std::tie(a.tree, a.from) < std::tie(b.tree, b.from); };
  do {
    ScheduleEngine::Config c = config();
    c.params.reduction = {1, 1, 1};
    Bench b(c);
    Cleared cleared;
    b.engine.dependency_cleared.attach(&cleared, [](void* to, Tick t, std::uint64_t tree) {
      static_cast<Cleared*>(to)->push_back({t, tree});
    });
    b.engine.post(operation({}, 3, 0), 0);
    for (const Chunk& x : chunks) b.engine.receive(Op::reduce, x.tree, x.from, x.bytes, 500);
    b.engine.run_until(5'000'000);
    CHECK(cleared == Cleared{{1'024'500, 1}, {3'072'500, 2}, {4'096'500, 2}});
  } while (std::next_permutation(chunks.begin(), chunks.end(), before));
}

TEST_CASE("reset drops an operation in progress, and the next one repeats the first", "[pure][nic]") {
  ScheduleEngine::Config c = config();
  c.params.issue_interval = 10_us;
  c.params.memory.rate = 1_GBps;  // 4096 ns per chunk
  Bench b(c);
  const auto run = [&] {
    b.issued.clear();
    b.engine.post(operation({reduce(2, 7, 1), reduce(3, nil, 2)}, 1), 0);
    b.engine.receive(Op::reduce, 2, 7, chunk, 500);
    b.engine.run_until(2000);
    b.engine.receive(Op::gather, 9, 7, chunk, 3000);
  };
  run();
  b.reset();
  CHECK((b.engine.waiting().empty() && b.engine.next() == never && b.engine.step() == 0));
  run();
  b.engine.run_until(100'000'000);
  CHECK(b.issued == std::vector<Issued>{{1500, 2, 1500}, {10'001'500, 3, 10'001'500}});
}

TEST_CASE("the probes show the course of a run", "[pure][nic]") {
  ScheduleEngine::Config c = config();
  c.params.reduction = {16, 32, 16};
  Bench b(c);
  ProbeDirectory directory;
  b.describe(directory, "nic4.");
  struct Change {
    Tick when;
    std::uint64_t value;
    bool operator==(const Change& o) const { return when == o.when && value == o.value; }
  };
  using Changes = std::vector<Change>;
  std::map<std::string, Changes> seen;
  directory.for_each<SignalProbe>([&](const std::string& name, SignalProbe& probe) {
    probe.attach(&seen[name], [](void* changes, Tick t, std::uint64_t v) {
      static_cast<Changes*>(changes)->push_back({t, v});
    });
  });
  b.engine.post(operation({reduce(9, nil, 1), reduce(2, 7, 2)}, 1), 0);
  b.engine.receive(Op::reduce, 2, 7, chunk, 1000);
  b.engine.run_until(10 * chunk_time);
  CHECK(seen["nic4.step"] == Changes{{0, 1}, {chunk_time, 2}});
  CHECK(seen["nic4.lockstep"] == Changes{{0, 1}, {chunk_time, 0}, {chunk_time, 1}, {2 * chunk_time, 0}});
  CHECK(seen["nic4.issued"] == Changes{{0, 9}, {chunk_time, 2}});
  CHECK(seen["nic4.entries_left"] == Changes{{0, 1}, {chunk_time, 0}});
  CHECK(seen["nic4.reduction.busy"] == Changes{{1000, 1}, {33'000, 0}});
  CHECK(seen["nic4.dma.request"] == Changes{{0, chunk}, {chunk_time, chunk}});
  // FlowID of the head, entry by entry
  CHECK(seen["nic4.flow"] == Changes{{0, 9}, {0, 2}, {chunk_time, 2}, {chunk_time, nil}});
  CHECK(seen["nic4.dependency_cleared"] == Changes{{33'000, 2}});
  CHECK(seen.size() == 8);
}

TEST_CASE("rows beyond the table are refused before the start", "[pure][nic]") {
  Bench b(config());
  CHECK_THROWS_AS(b.engine.post(operation(std::vector<ScheduleEntry>(129, reduce(1, nil, 1))), 0), ScheduleTableError);
  CHECK_FALSE(b.engine.active());
}

TEST_CASE("a table loaded beforehand is started with its number of rows", "[pure][nic]") {
  Bench b(config());
  b.table.write(0, encode(reduce(1, nil, 1)));
  b.table.write(1, encode(reduce(2, nil, 2)));
  NicOperation loaded = operation({});
  loaded.rows = 2;
  b.engine.post(loaded, 0);
  b.engine.run_until(10 * chunk_time);
  CHECK(b.issued == std::vector<Issued>{{0, 1, 0}, {chunk_time, 2, chunk_time}});
  b.table.write(1, EntryCode{std::byte{0xFF}});
  CHECK_THROWS_AS(b.engine.post(loaded, 0), ScheduleTableError);  // row without an entry
}

// Table of a software schedule: rows 0 and 1 belong to step 1, row 2 to step 2.
TEST_CASE("rows of commands are issued in order, in lockstep, when their outgoing data are available", "[pure][nic]") {
  struct : RowGate {
    bool ready(std::uint32_t row) const override { return (at_hand >> row & 1u) != 0; }
    void issue(std::uint32_t row, Tick now) override { issued.push_back({now, row}); }
    std::string missing(std::uint32_t row) const override { return "command " + std::to_string(10 + row); }
    unsigned at_hand = 0;
    std::vector<std::pair<Tick, std::uint32_t>> issued;
  } gate;
  Bench b(config());
  ScheduleEntry second = reduce(2, nil, 1);
  second.parent = 101;
  b.engine.post(operation({reduce(1, 7, 1), second, reduce(3, nil, 2)}), 0, &gate);
  gate.at_hand = 0b110;
  b.engine.run_until(100);
  CHECK_FALSE(b.engine.look(200));  // the row at the head waits
  CHECK(b.engine.waiting() ==
        std::vector<std::string>{"schedule: entry 1 of 3, reduce of tree 1 in step 1, waits for command 10"});
  gate.at_hand = 0b111;
  CHECK(b.engine.look(5000));
  b.engine.run_until(10 * chunk_time);
  // both chunks of step 1 go to one node and share its link
  CHECK(gate.issued == std::vector<std::pair<Tick, std::uint32_t>>{{5000, 0}, {5000, 1}, {2 * chunk_time, 2}});
  CHECK_FALSE(b.engine.active());
  CHECK(b.issued.empty());
}

TEST_CASE("an entry waits while an interface that it needs is full, and waiting() names the interface", "[pure][nic]") {
  Bench b(config());
  b.full_for_tree = 1;
  b.engine.post(operation({reduce(1, nil, 1), reduce(2, nil, 1)}), 0);
  CHECK(b.engine.run_until(5 * chunk_time) == never);
  CHECK(b.issued.empty());
  CHECK(b.engine.waiting().front() ==
        "schedule: entry 1 of 2, reduce of tree 1 in step 1, waits for room in the queue of interface2");
  b.full_for_tree.reset();
  b.engine.wake(6 * chunk_time);
  b.engine.run_until(6 * chunk_time);
  CHECK(b.issued == std::vector<Issued>{{6 * chunk_time, 1, 6 * chunk_time}, {6 * chunk_time, 2, 6 * chunk_time}});
  CHECK(b.done == 6 * chunk_time);
}

}  // namespace tributary::test_schedule_engine
