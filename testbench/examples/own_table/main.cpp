// A user-defined reduction table at the socket of an NVSwitch port, compared with the model's table: both receive the
// same traffic, counters and waveforms are shown, and the report after a lost operand is printed.
#include <iomanip>
#include <iostream>

#include "set_associative_table.h"
#include "testbench/harness/switch_system.h"
#include "testbench/observe/signal_counter.h"
#include "testbench/observe/waveform.h"

using namespace tributary;

namespace {

constexpr unsigned gpus = 8, ways = 2;

/// Eight GPUs on a switch whose tables have eight entries each.
struct Bench {
  Bench(const char* name, const ReductionTableFactory& make_table) : system(name, config(make_table)) {
    system.device->add_region({0, 0, 1 << 20, {0, 1, 2, 3, 4, 5, 6, 7}});
    system.device->describe(probes);
    for (const std::string event : {"allocations", "merges", "completions", "evictions", "timeouts"})
      counters.add(probes, {{"*.port0.table." + event, event}});
  }
  static SwitchSystem::Config config(const ReductionTableFactory& make_table) {
    SwitchSystem::Config c;
    c.ports = gpus;
    c.params.reduction_table.bytes = 1_KiB;
    c.make_table = make_table;
    return c;
  }

  /// Every GPU adds its operand to `blocks` blocks, `stride` apart, whose home is port 0. Each GPU starts 20 ns after
  /// the previous one.
  void all_reduce(unsigned blocks, unsigned stride) {
    for (unsigned g = 0; g < gpus; ++g) {
      const Tick start = kernel_now() + 1'000'000 + g * 20'000;
      for (unsigned b = 0; b < blocks; ++b) {
        Packet* operand = system.packet(request_vc, g, 0, std::uint64_t{b} * stride * block_bytes);
        nv(*operand).opcode = Opcode::red_write;
        nv(*operand).target = Target::home;
        nv(*operand).count = 1;
        system.endpoints[g]->source.send(operand, start);
      }
      system.endpoints[g]->start(start);
    }
  }

  SwitchSystem system;
  ProbeDirectory probes;
  SignalCounters counters;
};

void print(const char* what, const Bench& bench, const char* name) {
  std::cout << std::left << std::setw(20) << what << std::setw(6) << name << std::right;
  for (const SignalCounters::Counter& c : bench.counters.counters()) std::cout << std::setw(6) << c.count << " " << c.name;
  std::cout << "\n";
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  SetAssociativeTable* home = nullptr;  // table of port 0
  Bench ours("ours", make_reduction_table);
  Bench own("own", [&](const char* name, const ReductionTableConfig& table) {
    auto made = std::make_unique<SetAssociativeTable>(name, table, ways);
    if (home == nullptr) home = made.get();
    return made;
  });

  ProbeDirectory probes;
  ours.system.device->describe(probes);
  own.system.device->describe(probes);
  Waveform waveform(probes, {"*.port0.table.*"}, argc > 1 ? argv[1] : "own_table.vcd");
  sc_core::sc_start(sc_core::SC_ZERO_TIME);

  const auto run = [&](const char* what, unsigned blocks, unsigned stride) {
    ours.counters.reset(), own.counters.reset();
    ours.all_reduce(blocks, stride), own.all_reduce(blocks, stride);
    sc_core::sc_start();
    print(what, ours, "ours"), print(what, own, "own");
  };
  run("blocks 0 to 7", 8, 1);
  run("blocks 0, 4, 8, 12", 4, 4);  // all in one of the four sets
  const bool quiet = ours.system.device->waiting().empty() && own.system.device->waiting().empty();

  home->leak = true;
  own.all_reduce(1, 1);
  sc_core::sc_start();
  waveform.finish();
  const std::vector<std::string> report = own.system.device->waiting();
  for (const std::string& line : report) std::cout << line << "\n";
  return quiet && report.size() == 1 ? 0 : 1;
}
