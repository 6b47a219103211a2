// A user-defined test bench around a whole DGX-2: user-defined memories, a push all-reduce posted to the GPUs,
// observers on probes, and a check of the result.
#include <iomanip>
#include <iostream>

#include "platforms/nvswitch/automatic.h"
#include "platforms/nvswitch/fabric_manager.h"
#include "row_memory.h"
#include "testbench/harness/finish_times.h"
#include "testbench/observe/signal_counter.h"

using namespace tributary;

int sc_main(int, char*[]) {
  constexpr unsigned gpus = 16;
  const Bytes message = 256_KiB;

  // The machine: the paper's parameters except tables of 512 B; automatic values are those of a push.
  const Machine dgx2 = machine("dgx2");
  NvSwitchPlatform::Config config;
  config.params.switches.reduction_table.bytes = 512_B;
  config.params = with_automatic_values(config.params, dgx2.defaults, {Reduces::at_home_ports});
  config.external_memory = true;
  FinishTimes finished;
  NvSwitchPlatform system("dgx2", dgx2, config, finished);

  std::vector<std::unique_ptr<RowMemory>> memories;
  for (unsigned g = 0; g < gpus; ++g) {
    memories.push_back(std::make_unique<RowMemory>(("memory" + std::to_string(g)).c_str(), message.value));
    system.gpu(g).memory_socket.bind(memories[g]->socket);
    std::vector<std::int32_t> operands(message.value / 4);
    for (std::size_t i = 0; i < operands.size(); ++i) operands[i] = static_cast<std::int32_t>(i + g);
    memories[g]->store(operands);
  }

  // Observers: event counters of all tables, and the occupancy of the fullest table.
  ProbeDirectory probes;
  system.describe(probes);
  SignalCounters counters;
  counters.add(probes,
               {{"*.table.merges", "merges"}, {"*.table.completions", "completions"}, {"*.table.evictions", "evictions"}});
  std::uint64_t fullest = 0;
  probes.for_each<SignalProbe>([&](const std::string& name, SignalProbe& probe) {
    if (glob_match("*.table.occupancy", name))
      probe.attach(&fullest, [](void* most, Tick, std::uint64_t entries) {
        auto& m = *static_cast<std::uint64_t*>(most);
        m = std::max(m, entries);
      });
  });
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  system.reset();  // announces the first levels

  // The operation: a multicast region of all GPUs, and each GPU's program.
  FabricManager fabric(system);
  std::vector<int> members;
  for (unsigned g = 0; g < gpus; ++g) members.push_back(static_cast<int>(g));
  const BlockRange region = fabric.multicast_region(members, 0, message.value);
  GpuProgram program = push_all_reduce(region, gpus, config.params);
  program.type = ElementType::i32;
  const Tick start = kernel_now() + config.params.gpu.doorbell_latency.value;
  system.begin(start);
  for (unsigned g = 0; g < gpus; ++g) system.gpu(g).post(program, start);
  sc_core::sc_start();

  std::size_t wrong = 0;
  std::uint64_t hits = 0, misses = 0;
  for (const auto& memory : memories) {
    const std::vector<std::int32_t> sums = memory->load();
    for (std::size_t i = 0; i < sums.size(); ++i)
      wrong += sums[i] != static_cast<std::int32_t>(gpus * i + gpus * (gpus - 1) / 2);
    hits += memory->hits(), misses += memory->misses();
  }
  const Tick time = finished.last() - start;
  std::cout << "all-reduce of " << message.value << " B in " << time << " ps, " << wrong << " wrong\n";
  for (const SignalCounters::Counter& c : counters.counters()) std::cout << std::setw(7) << c.count << " " << c.name << "\n";
  std::cout << std::setw(7) << fullest << " entries of the fullest table\n"
            << std::setw(7) << hits << " reads in an open row, " << misses << " elsewhere\n";
  for (const std::string& line : system.waiting()) std::cout << line << "\n";
  return wrong == 0 && finished.count() == gpus && system.waiting().empty() ? 0 : 1;
}
