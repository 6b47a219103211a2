// A reduction table in RTL: compared with the C++ core on random transactions, then at one port of a DGX-2.
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "modules/nvswitch/beat_table_port.h"
#include "modules/nvswitch/core/reference_beat_table.h"
#include "platforms/nvswitch/automatic.h"
#include "platforms/nvswitch/fabric_manager.h"
#include "rtl_table.h"
#include "scoreboard.h"
#include "testbench/harness/finish_times.h"
#include "testbench/observe/trajectory_hash.h"
#include "testbench/observe/waveform.h"

using namespace tributary;

namespace {

constexpr const char* rtl_port = "rtl.switch0_2.port5";
constexpr unsigned gpus = 16;

bool compare_tables(std::uint64_t transactions) {
  RtlTable rtl;
  ReferenceBeatTable core(rtl.capacity(), 2'000'000);
  const Score s = compare(rtl, core, transactions, 1);
  std::cout << "scoreboard: " << s.transactions << " transactions, " << s.completions << " completions, " << s.evictions
            << " evictions, " << s.timeouts << " timeouts, " << s.refusals
            << " refusals: " << (s.difference.empty() ? "RTL and C++ agree" : "they differ: " + s.difference) << "\n";
  return s.difference.empty() && s.completions > 0 && s.evictions > 0 && s.timeouts > 0 && s.refusals > 0;
}

/// A DGX-2 with a hash of every packet on every link.
struct Bench {
  Bench(const char* name, const ReductionTableFactory& make_table)
      : system(name, machine("dgx2"), config(make_table), host) {
    for (const DirectedLink& link : system.links()) hash.add(link.transmitter->sent);
    system.describe(probes);
  }
  static NvSwitchPlatform::Config config(const ReductionTableFactory& make_table) {
    NvSwitchPlatform::Config c;
    c.params.switches.reduction_table.bytes = 4_KiB;
    c.params = with_automatic_values(c.params, machine("dgx2").defaults, {Reduces::at_home_ports});
    c.make_table = make_table;
    return c;
  }

  /// 16 GPUs push i32; GPU g contributes g + i as element i. Returns the time, or 0 if a sum is wrong.
  Tick push(Bytes message) {
    system.reset();
    FabricManager fabric(system);
    std::vector<int> members;
    for (unsigned g = 0; g < gpus; ++g) members.push_back(static_cast<int>(g));
    const NvSwitchPlatformParams params = config(make_reduction_table).params;
    GpuProgram program = push_all_reduce(fabric.multicast_region(members, 0, message.value), gpus, params);
    program.type = ElementType::i32;
    const std::uint32_t elements = static_cast<std::uint32_t>(message.value / 4);
    const Tick start = kernel_now() + params.gpu.doorbell_latency.value;
    hash.reset(start);
    system.begin(start);
    for (unsigned g = 0; g < gpus; ++g) {
      system.resize_memory(g, message.value);
      for (std::uint32_t i = 0; i < elements; ++i) set(g, i, g + i);
      system.gpu(g).post(program, start);
    }
    sc_core::sc_start();
    for (unsigned g = 0; g < gpus; ++g)
      for (std::uint32_t i = 0; i < elements; ++i)
        if (get(g, i) != gpus * i + gpus * (gpus - 1) / 2) return 0;
    return host.count() == gpus && system.waiting().empty() ? host.last() - start : 0;
  }
  void set(unsigned gpu, std::uint32_t element, std::uint32_t value) {
    std::memcpy(system.memory_of(gpu) + 4 * element, &value, 4);
  }
  std::uint32_t get(unsigned gpu, std::uint32_t element) {
    std::uint32_t value;
    std::memcpy(&value, system.memory_of(gpu) + 4 * element, 4);
    return value;
  }

  FinishTimes host;
  NvSwitchPlatform system;
  TrajectoryHash hash;
  ProbeDirectory probes;
};

/// Runs once with our tables everywhere, and once with one table in RTL.
bool push(const char* waveform) {
  const auto one_port = [](const ReductionTableConfig& config) -> std::unique_ptr<BeatTable> {
    if (config.port != rtl_port) return nullptr;
    return std::make_unique<RtlTable>();
  };
  Bench ours("dgx2", make_reduction_table), rtl("rtl", behind_beats(one_port));
  Waveform wave(rtl.probes, {std::string(rtl_port) + ".*"}, waveform);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const Tick of_ours = ours.push(64_KiB), of_rtl = rtl.push(64_KiB);
  wave.finish();
  const bool same = of_ours != 0 && of_ours == of_rtl && ours.hash.trajectory() == rtl.hash.trajectory();
  std::cout << "push, 16 GPUs, 64 KiB: " << of_ours << " ps with our tables, " << of_rtl << " ps with RTL at " << rtl_port
            << ": " << (same ? "every packet at the same picosecond" : "packets differ") << "\n";
  return same;
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  return compare_tables(100'000) && push(argc > 1 ? argv[1] : "rtl_table.vcd") ? EXIT_SUCCESS : EXIT_FAILURE;
}
