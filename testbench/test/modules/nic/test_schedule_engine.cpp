// One NIC and its schedule: when entries are issued, and what they wait for (Huang et al., ISCA 2021, IV-A).
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "modules/nic/core/dma_reader.h"
#include "modules/nic/core/reduction_core.h"
#include "modules/nic/core/schedule_engine.h"
#include "testbench/test/harness/plain_table.h"

using namespace tributary;

namespace {

using Op = ScheduleEntry::Op;
constexpr std::uint16_t nil = ScheduleEntry::nil;
constexpr std::uint32_t chunk = 4096;        // 16 packets of 17 flits
constexpr Tick chunk_time = 16 * 17 * 1000;  // at 16 GB/s

struct Issued {
  Tick when;
  std::uint16_t flow;
  Tick first;
};
bool operator==(const Issued& a, const Issued& b) { return a.when == b.when && a.flow == b.flow && a.first == b.first; }

class Bench : public ScheduleHost {
 public:
  explicit Bench(const ScheduleEngine::Config& config, Tick row_latency = 0)
      : table(128, row_latency),
        reduction(config.params.reduction, config.params.clock),
        dma(config.params.memory),
        memory_latency(config.params.memory.latency.value),
        engine(config, *this, table, reduction) {}
  void reset() { engine.reset(), reduction.reset(), dma.reset(); }
  void describe(ProbeDirectory& directory, const std::string& prefix) {
    engine.describe(directory, prefix), reduction.describe(directory, prefix + "reduction."),
        dma.describe(directory, prefix);
  }
  void send(const ScheduleEntry& e, Tick now) override {
    issued.push_back({now, e.flow, dma.request(now, e.bytes, memory_latency).first});
  }
  void operation_done(Tick when) override { done = when; }

  PlainTable table;
  ReductionCore reduction;
  DmaReader dma;
  Tick memory_latency;
  ScheduleEngine engine;
  std::vector<Issued> issued;
  Tick done = never;
};

ScheduleEngine::Config config(Lockstep kind = Lockstep::every_step) {
  ScheduleEngine::Config c;
  c.link_rate = 16_GBps;
  c.params.lockstep.kind = kind;
  c.params.issue_interval = 0_ns;
  return c;
}
ScheduleEntry reduce(std::uint16_t flow, std::uint16_t child, std::uint16_t step) {
  const auto parent = static_cast<std::uint16_t>(100 + flow);
  return {Op::reduce, flow, parent, {child, nil, nil, nil}, step, 0, chunk};
}
ScheduleEntry gather(std::uint16_t flow, std::uint16_t parent, std::uint16_t step) {
  return {Op::gather, flow, parent, {2, nil, nil, nil}, step, 0, chunk};
}
ScheduleEntry nop(std::uint16_t step) { return {Op::nop, nil, nil, {nil, nil, nil, nil}, step, 0, chunk}; }
NicOperation operation(std::vector<ScheduleEntry> entries, std::uint32_t reduces = 0, std::uint32_t gathers = 0) {
  return {std::move(entries), reduces, gathers, true, ElementType::f32};
}

}  // namespace

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

TEST_CASE("free running, steps follow one another at once, and still in order", "[pure][nic]") {
  Bench b(config(Lockstep::off));
  b.engine.post(operation({reduce(1, nil, 1), nop(2), reduce(3, nil, 3)}), 0);
  b.engine.run_until(0);
  CHECK(b.issued == std::vector<Issued>{{0, 1, 0}, {0, 3, 0}});
  CHECK(b.engine.step() == 3);
}

TEST_CASE("a NOP makes a NIC wait for a step, and with nop_only nothing else does", "[pure][nic]") {
  for (const Lockstep kind : {Lockstep::every_step, Lockstep::nop_only}) {
    Bench b(config(kind));
    b.engine.post(operation({reduce(1, nil, 1), nop(2), nop(3), reduce(4, nil, 4)}), 0);
    b.engine.run_until(10 * chunk_time);
    CHECK(b.issued.back().when == (kind == Lockstep::every_step ? 3 : 2) * chunk_time);
  }
}

TEST_CASE("steps that the table does not name are passed over", "[pure][nic]") {
  Bench b(config());
  b.engine.post(operation({reduce(1, nil, 3), reduce(2, nil, 7)}), 0);
  b.engine.run_until(10 * chunk_time);
  CHECK(b.issued == std::vector<Issued>{{0, 1, 0}, {chunk_time, 2, chunk_time}});
  CHECK(b.engine.step() == 7);
}

TEST_CASE("the longest chunk of a step determines it", "[pure][nic]") {
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

TEST_CASE("an entry with an unmet dependency waits, and says so", "[pure][nic]") {
  Bench b(config());
  b.engine.post(operation({reduce(2, 7, 1), gather(0, 1, 2)}, 1, 1), 0);
  CHECK(b.engine.run_until(5 * chunk_time) == never);
  CHECK(b.issued.empty());
  CHECK(b.engine.waiting() ==
        std::vector<std::string>{"schedule: entry 1 of 2, reduce of flow 2 in step 1, waits for the reduces of nic7",
                                 "rank: 1 of 1 reduces are missing", "rank: 1 of 1 gathers are missing"});
  b.engine.receive(Op::reduce, 2, 7, chunk, 6 * chunk_time);
  CHECK(b.engine.waiting().back() == "input: 1 chunks");
  b.engine.run_until(6 * chunk_time + 999);
  CHECK(b.issued.empty());  // it is being added
  CHECK(b.engine.waiting().back() == "reduction: 1 chunks");
  b.engine.run_until(7 * chunk_time);
  REQUIRE(b.issued.size() == 1);
  CHECK(b.issued[0].when == 6 * chunk_time + 1000);
  CHECK(b.engine.waiting() ==
        std::vector<std::string>{"schedule: entry 2 of 2, gather of flow 0 in step 2, waits for the gather of nic1",
                                 "rank: 1 of 1 gathers are missing"});
  b.engine.receive(Op::gather, 0, 1, chunk, 8 * chunk_time);
  b.engine.run_until(8 * chunk_time);
  CHECK(b.issued.size() == 2);
  CHECK(b.engine.waiting().empty());
  CHECK(b.done == 8 * chunk_time);
}

TEST_CASE("what waits for time says for which", "[pure][nic]") {
  Bench lock(config());
  lock.engine.post(operation({reduce(1, nil, 1), reduce(2, nil, 2)}), 100);
  CHECK(lock.engine.waiting()[0] == "schedule: entry 1 of 2, reduce of flow 1 in step 1, waits for its start");
  lock.engine.run_until(100);
  CHECK(lock.engine.waiting()[0] == "schedule: entry 2 of 2, reduce of flow 2 in step 2, waits for the lockstep counter");
  ScheduleEngine::Config slow = config(Lockstep::off);
  slow.params.reduction = {1, 1, 1};  // an element per ns
  Bench unit(slow);
  unit.engine.post(operation({reduce(1, nil, 1), reduce(2, 7, 2)}, 1), 100);
  unit.engine.receive(Op::reduce, 2, 7, chunk, 50);  // before the start: others may be early
  unit.engine.run_until(200);
  REQUIRE(unit.issued.size() == 1);
  CHECK(unit.issued[0].when == 100);
  CHECK(unit.engine.waiting()[0] == "schedule: entry 2 of 2, reduce of flow 2 in step 2, waits for the reduction unit");
  unit.engine.run_until(2'000'000);
  CHECK(unit.issued[1].when == 50 + 1'024'000);
}

TEST_CASE("a step begins only when the reduction unit is idle", "[pure][nic]") {
  ScheduleEngine::Config c = config();
  c.params.reduction = {16, 32, 16};
  Bench b(c);
  b.engine.post(operation({reduce(1, nil, 1), reduce(2, nil, 2)}, 2), 0);
  b.engine.receive(Op::reduce, 0, 5, chunk, chunk_time - 1000);  // of a flow whose root this is
  b.engine.receive(Op::reduce, 0, 6, chunk, chunk_time - 1000);
  b.engine.run_until(10 * chunk_time);
  CHECK(b.issued[1].when == chunk_time - 1000 + 2 * 32'000);  // 1024 elements: 2 passes of 16 cycles for each chunk
  CHECK(b.done == b.issued[1].when);
}

TEST_CASE("the head blocks those behind it, unless the whole step is inspected", "[pure][nic]") {
  for (const Inspection inspection : {Inspection::head, Inspection::step}) {
    ScheduleEngine::Config c = config();
    c.params.table.inspection = inspection;
    Bench b(c);
    b.engine.post(operation({reduce(2, 7, 1), reduce(3, nil, 1), reduce(4, nil, 2)}, 1), 0);
    b.engine.run_until(5 * chunk_time);
    CHECK(b.issued.size() == (inspection == Inspection::head ? 0 : 1));  // never one of the next step
    b.engine.receive(Op::reduce, 2, 7, chunk, 6 * chunk_time);
    b.engine.run_until(9 * chunk_time);
    CHECK(b.issued.size() == 3);
    CHECK(b.issued.back().flow == 4);
  }
}

TEST_CASE("a late entry may load the down-counter again", "[pure][nic]") {
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

TEST_CASE("the decoder issues an entry per interval, and memory answers each", "[pure][nic]") {
  ScheduleEngine::Config c = config();
  c.params.issue_interval = 1_ns;
  c.params.memory.latency = 100_ns;
  Bench b(c);
  b.engine.post(operation({reduce(1, nil, 1), reduce(2, nil, 1), reduce(3, nil, 1), reduce(4, nil, 2)}), 0);
  b.engine.run_until(10 * chunk_time);
  CHECK(b.issued ==
        std::vector<Issued>{{0, 1, 100'000}, {1000, 2, 101'000}, {2000, 3, 102'000}, {chunk_time, 4, chunk_time + 100'000}});
}

TEST_CASE("a NIC without entries is done when all has come", "[pure][nic]") {
  Bench b(config());
  b.engine.post(operation({}, 2, 0), 0);
  b.engine.run_until(100);
  CHECK(b.done == never);
  b.engine.receive(Op::reduce, 0, 1, chunk, 500);
  b.engine.receive(Op::reduce, 0, 2, chunk, 200);  // calls may come in any order
  b.engine.run_until(5000);
  CHECK(b.done == 200 + 2000);  // one after another
  Bench nothing(config());
  nothing.engine.post(operation({}), 70);
  nothing.engine.run_until(100);
  CHECK(nothing.done == 70);
}

TEST_CASE("reset forgets an operation under way, and the next one is as the first", "[pure][nic]") {
  ScheduleEngine::Config c = config();
  c.params.issue_interval = 10_us;
  c.params.memory.rate = 1_GBps;  // 4096 ns for a chunk
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

TEST_CASE("a run can be followed on the probes", "[pure][nic]") {
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
  CHECK(seen.size() == 6);
}

TEST_CASE("rows that the table does not have are refused before the start", "[pure][nic]") {
  Bench b(config());
  CHECK_THROWS_AS(b.engine.post(operation(std::vector<ScheduleEntry>(129, reduce(1, nil, 1))), 0), ScheduleTableError);
  CHECK_FALSE(b.engine.active());
}

TEST_CASE("a table that was loaded before is started by its number of rows", "[pure][nic]") {
  Bench b(config());
  b.table.write(0, encode(reduce(1, nil, 1)));
  b.table.write(1, encode(reduce(2, nil, 2)));
  NicOperation loaded = operation({});
  loaded.rows = 2;
  b.engine.post(loaded, 0);
  b.engine.run_until(10 * chunk_time);
  CHECK(b.issued == std::vector<Issued>{{0, 1, 0}, {chunk_time, 2, chunk_time}});
  b.table.write(1, EntryCode{std::byte{0xFF}});
  CHECK_THROWS_AS(b.engine.post(loaded, 0), ScheduleTableError);  // no entry
}

// The first step has two rows, and the row behind it tells its end: three reads. The third step's own row is read, and the
// end of the table known, while the second lasts.
TEST_CASE("a step begins when the table has given its rows", "[pure][nic]") {
  constexpr Tick row = 100'000;
  Bench b(config(Lockstep::off), row);
  b.engine.post(operation({reduce(1, nil, 1), reduce(2, nil, 1), reduce(3, nil, 2), reduce(4, nil, 3)}), 5000);
  b.engine.run_until(6000);
  CHECK(b.engine.waiting()[0] == "schedule: entry 1 of 4, reduce of flow 1 in step 1, waits for the schedule table");
  b.engine.run_until(100 * row);
  const Tick first = 5000 + 3 * row, second = first + row;
  CHECK(b.issued == std::vector<Issued>{{first, 1, first}, {first, 2, first}, {second, 3, second}, {second, 4, second}});
}

// Of the model of a software schedule: rows 0 and 1 belong to step 1, row 2 to step 2.
TEST_CASE("rows of commands are issued in their order, in lockstep, when what they send is at hand", "[pure][nic]") {
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
        std::vector<std::string>{"schedule: entry 1 of 3, reduce of flow 1 in step 1, waits for command 10"});
  gate.at_hand = 0b111;
  CHECK(b.engine.look(5000));
  b.engine.run_until(10 * chunk_time);
  // both chunks of step 1 go to one node, whose link they share
  CHECK(gate.issued == std::vector<std::pair<Tick, std::uint32_t>>{{5000, 0}, {5000, 1}, {2 * chunk_time, 2}});
  CHECK_FALSE(b.engine.active());
  CHECK(b.issued.empty());
}
