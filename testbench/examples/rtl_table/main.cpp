/// A reduction table in RTL: compared with the C++ core on random transactions, then at one port of a DGX-2.
#include <cstdio>
#include <cstdlib>
#include <systemc>

#include "modules/nvswitch/beat_table_port.h"
#include "modules/nvswitch/core/reference_beat_table.h"
#include "platforms/nvswitch/machine.h"
#include "testbench/examples/rtl_table/rtl_table.h"
#include "testbench/examples/rtl_table/scoreboard.h"
#include "testbench/observe/trajectory_hash.h"
#include "testbench/observe/waveform.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/test/harness/small_machine.h"

namespace {

using namespace tributary;

constexpr const char* rtl_port = "switch0_2.port5";

bool compare_tables(std::uint64_t transactions) {
  RtlTable rtl;
  ReferenceBeatTable core(rtl.capacity(), 2'000'000);
  const Score s = compare(rtl, core, transactions, 1);
  std::printf("scoreboard: %llu transactions, %llu completions, %llu evictions, %llu timeouts, %llu refusals: %s\n",
              static_cast<unsigned long long>(s.transactions), static_cast<unsigned long long>(s.completions),
              static_cast<unsigned long long>(s.evictions), static_cast<unsigned long long>(s.timeouts),
              static_cast<unsigned long long>(s.refusals), s.difference.empty() ? "RTL and C++ agree" : "they differ");
  if (!s.difference.empty()) std::printf("  %s\n", s.difference.c_str());
  return s.difference.empty() && s.completions > 0 && s.evictions > 0 && s.timeouts > 0 && s.refusals > 0;
}

/// A DGX-2 with a hash of every packet on every link.
struct Dgx2 : SmallSystem {
  Dgx2(const std::string& name, const RunSpec& s, const ReductionTableFactory& make_table)
      : SmallSystem(name, machine("dgx2"), s, make_table) {
    for (const DirectedLink& link : system.links()) hash.add(link.transmitter->sent);
  }
  Tick time(Bytes message) {
    hash.reset(kernel_now() + params.gpu.doorbell_latency.value);
    run(message, 1, 1);
    return completion.last() - t0;
  }
  TrajectoryHash hash;
};

/// 16 GPUs push i32: with our tables everywhere, and with one in RTL.
bool push(const char* waveform) {
  RunSpec spec = run_spec("push", first_gpus(16), {}, {"nvswitch.switch.reduction_table.bytes=4KiB"});
  spec.jobs.front().type = ElementType::i32;
  const auto one_port = [](const ReductionTableConfig& config) -> std::unique_ptr<BeatTable> {
    if (config.port != std::string("rtl.") + rtl_port) return nullptr;
    return std::make_unique<RtlTable>();
  };
  Dgx2 ours("dgx2", spec, make_reduction_table), rtl("rtl", spec, behind_beats(one_port));
  Waveform wave(rtl.probes, {std::string("rtl.") + rtl_port + ".*"}, waveform);
  const Tick of_ours = ours.time(64_KiB), of_rtl = rtl.time(64_KiB);
  const bool same = of_ours == of_rtl && ours.hash.trajectory() == rtl.hash.trajectory();
  wave.finish();
  std::printf("push, 16 GPUs, 64 KiB: %llu ps with our tables, %llu ps with RTL at %s: %s\n",
              static_cast<unsigned long long>(of_ours), static_cast<unsigned long long>(of_rtl), rtl_port,
              same ? "every packet at the same picosecond" : "packets differ");
  return same;
}

}  // namespace

int sc_main(int argc, char** argv) {
  const char* waveform = argc > 1 ? argv[1] : "rtl_table.vcd";
  const bool right = compare_tables(100'000) && push(waveform);
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
