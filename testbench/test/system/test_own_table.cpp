// A user's reduction table at the socket of every port: of a switch alone, and of a whole machine.
#include <catch2/catch.hpp>

#include "modules/nvswitch/associative_reduction_table.h"
#include "platforms/nvswitch/machine.h"
#include "testbench/harness/switch_system.h"
#include "testbench/observe/signal_counter.h"
#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/own_table.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/test/harness/small_machine.h"

namespace tributary::test_own_table {

using Catch::Matchers::Contains;

namespace {

ReductionTableFactory own_tables(OwnTableFaults faults = {}, std::vector<OwnTable*>* made = nullptr) {
  return [=](const char* name, const ReductionTableConfig& config) {
    auto table = std::make_unique<OwnTable>(name, config, faults);
    if (made != nullptr) made->push_back(table.get());
    return table;
  };
}

/// Endpoints 1 to 3 of a switch with four ports add `blocks` blocks in the table of port 0; all four are members.
struct Switch {
  explicit Switch(const std::string& name, const ReductionTableFactory& make_table)
      : system(name.c_str(), config(make_table)) {
    system.device->add_region({0, 0, 1 << 20, {0, 1, 2, 3}});
  }
  static SwitchSystem::Config config(const ReductionTableFactory& make_table) {
    SwitchSystem::Config c;
    c.ports = 4;
    c.make_table = make_table;
    return c;
  }
  void send(unsigned blocks, unsigned sources) {
    for (unsigned e = 0; e < sources; ++e) {
      for (unsigned b = 0; b < blocks; ++b) {
        Packet* p = system.packet(request_vc, e, 0, b * block_bytes);
        nv(*p).opcode = Opcode::red_write, nv(*p).target = Target::home, nv(*p).count = 1;
        system.endpoints[e]->source.send(p, 1'000'000);
      }
      system.endpoints[e]->start(1'000'000);
    }
  }
  std::string deliveries() const {
    std::string text;
    for (const auto& e : system.endpoints)
      for (const PacketEndpoint::Delivery& d : e->delivered)
        text += std::to_string(d.head) + ":" + std::to_string(d.id) + " ";
    return text;
  }
  SwitchSystem system;
};

enum class Spoilt { no_result, forged_count, kept, no_answer, slow, late, lost };

/// Our table, with one wrong answer: at its third operand, or when a block is complete.
class SpoiltTable : public AssociativeReductionTable {
 public:
  SpoiltTable(const char* name, const ReductionTableConfig& config, Spoilt how)
      : AssociativeReductionTable(name, config), how_(how) {}

 private:
  void b_transport(TableTransaction& t, sc_core::sc_time& delay) override {
    const bool third = t.packet != nullptr && ++operands_ == 3;
    if (third && how_ == Spoilt::lost) {
      t.packet->release();
      t.answer = TableTransaction::Answer::merged;
      return;
    }
    core.access(t);
    if (third && how_ == Spoilt::kept) t.answer = TableTransaction::Answer::bypassed;
    if (third && how_ == Spoilt::no_answer) t.answer = TableTransaction::Answer::nothing;
    if (third && how_ == Spoilt::slow) t.timing.interval += 10'000'000'000'000;
    if (t.result != nullptr && how_ == Spoilt::late) delay += sc_core::sc_time(10, sc_core::SC_SEC);
    if (t.answer != TableTransaction::Answer::completed) return;
    if (how_ == Spoilt::no_result) t.result = nullptr;
    if (how_ == Spoilt::forged_count) t.count = 7;
  }

  Spoilt how_;
  unsigned operands_ = 0;
};

/// Returns the error of a push of a block through spoilt tables, or else what waits in the end.
std::string end_of(Spoilt how) {
  return in_child([&] {
    Switch own("own", [&](const char* name, const ReductionTableConfig& config) {
      return std::make_unique<SpoiltTable>(name, config, how);
    });
    std::string text;
    try {
      sc_core::sc_start(sc_core::SC_ZERO_TIME);
      own.send(1, 4);
      sc_core::sc_start(5, sc_core::SC_US);
      for (const std::string& line : own.system.device->waiting()) text += line + "\n";
    } catch (const std::exception& error) {
      text = error.what();
    }
    return text;
  });
}

std::string counts(const SignalCounters& counters) {
  std::string text;
  for (const SignalCounters::Counter& c : counters.counters()) text += c.name + "=" + std::to_string(c.count) + " ";
  return text;
}

void count(SignalCounters& counters, const ProbeDirectory& probes) {
  std::vector<SignalCounters::Selection> selections;
  for (const std::string event : {"allocations", "merges", "completions", "evictions", "timeouts"})
    selections.push_back({"*.table." + event, event});
  counters.add(probes, selections);
}

RunSpec push_on_dgx2() {
  RunSpec spec = run_spec("push", first_gpus(16), {});
  spec.data = DataMode::exact;
  return spec;
}

}  // namespace

TEST_CASE("own table: a user's table on a switch alone gives the deliveries of ours", "[block][own_table]") {
  Switch ours("ours", make_reduction_table), own("own", own_tables());
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  ours.send(2, 4), own.send(2, 4);  // four operands for each of two blocks, which fit
  sc_core::sc_start();
  CHECK(ours.system.endpoints[2]->delivered.size() == 2);  // every member receives every sum
  CHECK(own.deliveries() == ours.deliveries());
  CHECK(own.system.device->waiting().empty());
  CHECK(own.system.pool.live() == 0);
}

TEST_CASE("own table: operands that wait in a user's table are in the report of the switch", "[block][own_table]") {
  Switch named("named", own_tables()), silent("silent", own_tables({~0u, true, 0}));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  named.send(1, 3), silent.send(1, 3);  // the fourth operand never arrives
  sc_core::sc_start(2, sc_core::SC_US);
  REQUIRE(named.system.device->waiting().size() == 1);
  CHECK(named.system.device->waiting()[0] == "named.switch.port0.table: block 0: 3 of 4");
  CHECK(silent.system.device->waiting().at(0) == "silent.switch.port0.table: 3 operands of block 0 have not come back");
  named.system.device->reset();
  CHECK(named.system.device->waiting().empty());
}

TEST_CASE("own table: a wrong answer is named with its port, rule and block", "[block][own_table]") {
  const auto breaks = [](Spoilt how, const std::string& rule, const std::string& what) {
    const std::string error = end_of(how);
    CHECK_THAT(error, Contains("own.switch.port0.table breaks the rule `" + rule + "` at "));
    CHECK_THAT(error, Contains(what));
  };
  breaks(Spoilt::no_result, "answer", "`completed` without a result for block 0");
  breaks(Spoilt::no_answer, "answer", "the command push has no answer `nothing`");
  breaks(Spoilt::forged_count, "complete", "block 0 is complete with 7 of 4 operands");
  breaks(Spoilt::kept, "keep", "keeps the packet of block 0 and answers `bypassed`");
}

TEST_CASE("own table: lost operands and a slow table are named by block", "[block][own_table]") {
  CHECK_THAT(end_of(Spoilt::lost), Contains("own.switch.port0.table: block 0 has 3 of 4") ||
                                       Contains("own.switch.port0.table: an operand of block 0 has not come back"));
  CHECK_THAT(end_of(Spoilt::slow), Contains("own.switch.port0.table: the service of an operand of block 0 lasts until 10s"));
  CHECK_THAT(end_of(Spoilt::late), Contains("own.switch.port0.table: a packet of block 0 leaves at 10s of the simulation"));
}

TEST_CASE("own table: a table may be bound to the socket by hand", "[block][own_table]") {
  const auto none = [](const char*, const ReductionTableConfig&) { return std::unique_ptr<ReductionTableModule>(); };
  std::vector<std::unique_ptr<OwnTable>> tables;
  Switch own("own", none);
  for (unsigned p = 0; p < 4; ++p) {
    tables.push_back(std::make_unique<OwnTable>(("table" + std::to_string(p)).c_str(),
                                                ReductionTableConfig{"", 256, 2'000'000, false, 25_GBps}, OwnTableFaults{}));
    own.system.device->port(p).table_socket.bind(tables.back()->socket);
  }
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  own.send(1, 3);
  sc_core::sc_start(2, sc_core::SC_US);
  CHECK(own.system.device->waiting().at(0) == "own.switch.port0.table: block 0: 3 of 4");
  own.system.device->reset();
  CHECK(tables[0]->resets() == 1);
  CHECK(own.system.device->waiting().empty());
}

TEST_CASE("own table: a user's table on all ports of a DGX-2 gives the time and counters of ours, and is reset",
          "[system][own_table]") {
  const RunSpec spec = push_on_dgx2();
  std::vector<OwnTable*> tables;
  SmallSystem ours("ours", machine("dgx2"), spec), own("own", machine("dgx2"), spec, own_tables({}, &tables));
  SignalCounters of_ours, of_own;
  count(of_ours, ours.probes), count(of_own, own.probes);
  ours.run(64_KiB, 1, 1), own.run(64_KiB, 1, 1);
  CHECK(own.completion.last() - own.t0 == ours.completion.last() - ours.t0);
  CHECK(counts(of_own) == counts(of_ours));
  CHECK_THAT(counts(of_own), Contains("completions=512"));  // 64 KiB are 512 blocks
  CHECK(tables.size() == 12 * 16);
  for (const OwnTable* t : tables) CHECK(t->resets() == 1);
}

TEST_CASE("own table: an operand that a user's table loses is named in the report of a DGX-2", "[system][own_table]") {
  const RunSpec spec = push_on_dgx2();
  const auto leaks_once = [&](const char* name, const ReductionTableConfig& config) {
    const bool here = config.port == "own.switch0_2.port5";
    return std::make_unique<OwnTable>(name, config, OwnTableFaults{here ? 3 : ~0u, false, 0});
  };
  SmallSystem own("own", machine("dgx2"), spec, leaks_once);
  // The other operands of that block leave at its timeout; port 5 of board 0 is home to blocks 62, 254, ... of plane 2.
  CHECK_THROWS_WITH(own.run(16_KiB, 1, 1), Contains("own.switch0_2.port5.table: an operand of block 62 has not come back") &&
                                               Contains("not all ranks are done"));
}

}  // namespace tributary::test_own_table
