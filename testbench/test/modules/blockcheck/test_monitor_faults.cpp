/// Random faults in the answers of every block: the monitor names each breach, and nothing else ends the run.
#include <array>
#include <catch2/catch.hpp>
#include <cstring>

#include "modules/base/memory_monitor.h"
#include "modules/base/random.h"
#include "modules/netreduce/core/part_monitors.h"
#include "modules/netreduce/core/payload_buffer.h"
#include "modules/nic/core/reduction_monitor.h"
#include "modules/nic/core/schedule_rows.h"
#include "modules/nvswitch/core/reduction_table.h"
#include "modules/streams/core/burst_cutter.h"
#include "modules/streams/core/copy_monitor.h"
#include "modules/switching/core/arbiter_monitor.h"
#include "testbench/test/harness/monitor_bench.h"

namespace tributary::test_monitor_faults {

/// Blocks with 1200 faulty runs each, so more than 10 000 in total.
constexpr unsigned runs = 1200;

/// Random numbers of one faulty run.
class Chance {
 public:
  explicit Chance(std::uint64_t stream) : stream_(stream) {}
  std::uint64_t below(std::uint64_t bound) { return tributary::below(random_at(40, stream_, index_++), bound); }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  /// Replaces bits of a value.
  template <class T>
  void spoil(T& x) {
    auto bytes = std::array<std::byte, sizeof(T)>();
    std::memcpy(bytes.data(), &x, sizeof x);
    bytes[below(sizeof x)] ^= static_cast<std::byte>(1u << below(8));
    std::memcpy(&x, bytes.data(), sizeof x);
  }

 private:
  std::uint64_t stream_, index_ = 0;
};

struct Counts {
  unsigned named = 0, unnoticed = 0;
};

/// Each run makes right requests, and ends with the first breach. A fault may have no effect on the rules, such as a longer
/// latency.
template <class Run>
Counts count(const std::string& place, Run run) {
  Counts counts;
  for (unsigned i = 0; i < runs; ++i) {
    Chance chance(i);
    const std::string line = breach_of([&] { run(chance); });
    if (line.empty()) {
      ++counts.unnoticed;
      continue;
    }
    ++counts.named;
    if (line.rfind(place, 0) != 0 || line.find(" breaks the rule `") == std::string::npos)
      FAIL_CHECK("run " << i << ": " << line);
  }
  return counts;
}

void faulty_table(Chance& chance) {
  MonitoredPort port;
  ReductionTable table(4 * block_bytes, 2'000'000);
  using Answer = TableTransaction::Answer;
  const std::uint64_t fault = 4 + chance.below(60);
  for (std::uint64_t i = 0; i < 80; ++i) {
    TableTransaction t = port.ask(TableTransaction::Command::push, chance.below(6), 4);
    table.access(t);
    if (i >= fault && chance.one_in(2)) switch (chance.below(8)) {
        case 0:
          t.answer = static_cast<Answer>(chance.below(9));
          break;
        case 1:
          t.result = chance.one_in(2) ? nullptr : port.operand(chance.below(6));
          break;
        case 2:
          t.evicted = chance.one_in(2) ? nullptr : port.operand(chance.below(6));
          break;
        case 3:
          chance.spoil(t.count);
          break;
        case 4:
          chance.spoil(t.next_timeout);
          break;
        case 5:
          chance.spoil(t.timing.interval);
          break;
        case 6:
          if (t.result != nullptr) nv(*t.result).address += block_bytes * chance.below(3);
          break;
        default:
          t.answer = Answer::bypassed;
      }
    port.check(t, chance.one_in(50) ? chance.below(2'000'000) : 0);
    if (t.answer != Answer::completed) continue;
    TableTransaction done;
    done.command = TableTransaction::Command::finish, done.address = t.address,
    done.requester = TableTransaction::no_requester;
    done.address = nv(*t.result).address, done.now = port.now + 9 * 640;
    port.monitor.ask(done, done.now);
    table.access(done);
    port.check(done);
  }
  port.monitor.end(port.now, true);
}

void faulty_lookup(Chance& chance) {
  ClMonitor m(monitor_setup("clt"));
  ConnectionLookup table(2, AggregationParams{});
  for (unsigned i = 0; i < 40; ++i) {
    ClTransaction t;
    const auto station = static_cast<std::uint16_t>(chance.below(3));
    t.connection = {station, static_cast<std::uint16_t>(station + 1), 7};
    t.psn = static_cast<std::uint32_t>(i % 8 == 0 ? i : chance.below(40));
    t.header.ring = 1, t.header.rank = station, t.header.message = i / 8, t.header.message_packets = 8;
    t.command = i % 8 == 0 ? ClTransaction::Command::update : ClTransaction::Command::find;
    const ClTransaction asked = t;
    table.access(t);
    if (chance.one_in(4)) chance.spoil(t.address);
    if (chance.one_in(40)) chance.spoil(t.timing.interval);
    access(m, asked, t, i, 0, t.timing.interval);
  }
}

void faulty_translation(Chance& chance) {
  CtMonitor m(monitor_setup("ctt"));
  CtTable table;
  CtEntry entry;
  for (unsigned i = 0; i < 30; ++i) {
    CtTransaction t;
    t.command = i < 10 ? CtTransaction::Command::learn : CtTransaction::Command::translate;
    t.from.source = static_cast<std::uint16_t>(chance.below(4)),
    t.to.destination = static_cast<std::uint16_t>(chance.below(4));
    t.first = {i, i * 8, 4096, 1, 49152, true};
    const CtTransaction asked = t;
    table.access(t);
    if (t.entry != nullptr) entry = *t.entry, t.entry = &entry;
    if (chance.one_in(6)) chance.spoil(entry.direction);
    if (chance.one_in(6) && !entry.to.empty()) chance.spoil(entry.to.front().connection);
    if (chance.one_in(6) && !entry.to.empty()) entry.to.push_back(entry.to.front());
    if (chance.one_in(6)) t.entry = chance.one_in(2) ? nullptr : &entry;
    access(m, asked, t, i, chance.one_in(60) ? chance.below(2'000'000) : 0);
  }
}

void faulty_combinator(Chance& chance) {
  CombineMonitor m(monitor_setup("combinator"));
  Combinator combinator{AcceleratorParams{}};
  std::vector<std::byte> banks(3 * 64), sum(64);
  const std::byte* operands[] = {banks.data(), banks.data() + 64, banks.data() + 128};
  for (unsigned i = 0; i < 10; ++i) {
    for (std::byte& b : banks) b = static_cast<std::byte>(chance.below(256));
    CombineTransaction t;
    t.operands = 2 + static_cast<unsigned>(chance.below(2)), t.operand = operands, t.sum = sum.data(), t.bytes = 64,
    t.skip = 16;
    t.type = chance.one_in(2) ? ElementType::i32 : ElementType::i16;
    const CombineTransaction asked = t;
    m.ask(asked, i);
    const Tick latency = combinator.access(t);
    if (chance.one_in(5)) chance.spoil(sum[chance.below(sum.size())]);
    if (chance.one_in(20)) chance.spoil(t.bytes);
    if (chance.one_in(20)) chance.spoil(t.skip);
    if (chance.one_in(20)) chance.spoil(t.op);
    m.check(t, 0, chance.one_in(20) ? chance.below(2'000'000) : latency);
  }
}

void faulty_payloads(Chance& chance) {
  MemoryMonitor m(monitor_setup("payloads"));
  PayloadBuffer buffer;
  std::vector<std::byte> data(64);
  for (unsigned i = 0; i < 30; ++i) {
    const bool writes = i < 8 || chance.one_in(3);
    if (writes) chance.spoil(data[chance.below(64)]);
    MonitoredAccess t{writes, true, 64 * (i < 8 ? i : chance.below(8)), 64, data.data(), MonitoredAccess::Response::none};
    m.ask(t, i);
    if (writes) buffer.write(t.address, data.data(), 64, i);
    if (!writes) buffer.read(t.address, data.data(), 64, i);
    t.response = MonitoredAccess::Response::ok;
    if (!writes && chance.one_in(4)) chance.spoil(data[chance.below(64)]);
    if (chance.one_in(30)) t.response = static_cast<MonitoredAccess::Response>(chance.below(3));
    if (chance.one_in(30)) chance.spoil(t.bytes);
    m.check(t, 0, chance.one_in(30) ? chance.below(2'000'000) : 0);
  }
}

void faulty_rows(Chance& chance) {
  BlockMonitor::Setup setup = monitor_setup("rows");
  setup.config.add("table_entries", FieldValue::Kind::number).number = 8;
  MemoryMonitor m(std::move(setup), sizeof(EntryCode));
  ScheduleRows rows(8);
  EntryCode code{};
  for (unsigned i = 0; i < 30; ++i) {
    const bool writes = i < 8 || chance.one_in(3);
    auto* const data = reinterpret_cast<std::byte*>(code.data());
    if (writes) chance.spoil(data[chance.below(sizeof code)]);
    MonitoredAccess t{writes, true, sizeof code * chance.below(10), sizeof code, data, MonitoredAccess::Response::none};
    m.ask(t, i);
    const bool done = writes ? rows.write(t.address, data, sizeof code, i) : rows.read(t.address, data, sizeof code, i);
    t.response = done ? MonitoredAccess::Response::ok : MonitoredAccess::Response::refused;
    if (!writes && chance.one_in(4)) chance.spoil(data[chance.below(sizeof code)]);
    if (chance.one_in(30)) t.response = static_cast<MonitoredAccess::Response>(chance.below(3));
    m.check(t, chance.one_in(30) ? chance.below(2'000'000) : 0, 0);
  }
}

void faulty_unit(Chance& chance) {
  ReductionMonitor m(monitor_setup("unit"));
  std::array<std::byte, 32> sum{}, data{};
  for (unsigned i = 0; i < 10; ++i) {
    for (std::byte& b : data) b = static_cast<std::byte>(chance.below(256));
    ReductionAccess t{8, ElementType::i32, static_cast<ReduceOp>(chance.below(3)), sum.data(), data.data()};
    m.ask(t, i);
    apply(t.op, t.type, sum.data(), data.data(), sum.size());
    if (chance.one_in(4)) chance.spoil(sum[chance.below(sum.size())]);
    if (chance.one_in(20)) chance.spoil(t.elements);
    if (chance.one_in(20)) chance.spoil(t.op);
    m.check(t, 0, chance.one_in(20) ? chance.below(2'000'000) : 0);
  }
}

/// A `bool` has two values, so its bytes are not spoilt.
void spoil(Chance& chance, Burst& burst) {
  switch (chance.below(6)) {
    case 0:
      return chance.spoil(burst.copy);
    case 1:
      return chance.spoil(burst.lane);
    case 2:
      return chance.spoil(burst.flits);
    case 3:
      return chance.spoil(burst.bytes);
    case 4:
      return chance.spoil(burst.offset);
    default:
      burst.last = !burst.last;
  }
}

void faulty_engine(Chance& chance) {
  CopyMonitor m(monitor_setup("engine"));
  CopyCommand command;
  command.copy = 3, command.lanes = 2, command.bytes = 100'000;
  m.submit(command, 1000);
  std::vector<BurstCutter> cutters{BurstCutter(command, 0), BurstCutter(command, 1)};
  for (unsigned i = 0; i < 20; ++i) {
    const auto lane = static_cast<unsigned>(chance.below(2));
    if (chance.one_in(30)) m.done(command, 1000 + chance.below(5000));
    if (cutters[lane].empty()) continue;
    Burst burst = cutters[lane].next();
    Burst spoilt = burst;
    if (chance.one_in(8)) spoil(chance, spoilt);
    m.burst(spoilt, chance.one_in(30) ? chance.below(2000) : 1000 + i);
    if (!chance.one_in(8)) m.room(burst, 1000 + i), m.leave();
    if (burst.last) m.left(burst, 1000 + i), m.leave();
  }
}

void faulty_arbiter(Chance& chance) {
  ArbiterMonitor m(monitor_setup("arbiter"), 8, 3);
  for (unsigned i = 0; i < 20; ++i) {
    std::vector<ArbiterMonitor::Request> requests;
    for (unsigned input = 0; input < 8; ++input)
      if (chance.one_in(2)) requests.push_back({input, static_cast<unsigned>(chance.below(3)), 0});
    if (requests.empty()) continue;
    const auto output = static_cast<unsigned>(chance.below(8));
    std::size_t index = chance.below(requests.size());
    if (chance.one_in(10)) chance.spoil(index);
    m.ask(output, requests, 1000 * i);
    m.check(index);
    if (chance.one_in(4)) {
      m.ask(output, requests, 1000 * i);
      m.check(chance.below(requests.size()));
    }
    m.granted(output, requests[index], 1000 * i);
  }
}

TEST_CASE("monitors: 10800 random faults end in a line with the place and the rule", "[pure][monitor]") {
  const std::pair<const char*, void (*)(Chance&)> blocks[] = {{"dgx2.switch0_2.port5", faulty_table},
                                                              {"clt", faulty_lookup},
                                                              {"ctt", faulty_translation},
                                                              {"combinator", faulty_combinator},
                                                              {"payloads", faulty_payloads},
                                                              {"rows", faulty_rows},
                                                              {"unit", faulty_unit},
                                                              {"engine", faulty_engine},
                                                              {"arbiter", faulty_arbiter}};
  for (const auto& [place, run] : blocks) {
    INFO(place);
    const Counts counts = count(place, run);
    CHECK(counts.named + counts.unnoticed == runs);
    CHECK(counts.named > runs / 2);
  }
}

}  // namespace tributary::test_monitor_faults
