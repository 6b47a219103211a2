// An accelerator with a user-defined payload buffer: four hosts on an Ethernet switch run an all-reduce of NetReduce.
// Checks the sums, and prints the accesses to the accelerator's DRAM.
#include <iomanip>
#include <iostream>

#include "dram_buffer.h"
#include "platforms/netreduce/netreduce_platform.h"
#include "testbench/harness/finish_times.h"
#include "testbench/observe/signal_counter.h"

using namespace tributary;

namespace {

constexpr int hosts = 4;
constexpr std::uint64_t tensor = 1 << 20, result = tensor, receive_buffers = 2 * tensor;

NetReducePlatform::Config machine(DramBuffer*& dram) {
  NetReducePlatform::Config config;
  config.roles.assign(hosts, HostRole::flow_control);
  config.accelerator_parts.payloads = [&dram](const char* name, const Accelerator::Config&) {
    auto own = std::make_unique<DramBuffer>(name);
    dram = own.get();
    return own;
  };
  return config;
}

}  // namespace

int sc_main(int, char*[]) {
  DramBuffer* dram = nullptr;
  FinishTimes finished;
  const NetReducePlatform::Config config = machine(dram);
  NetReducePlatform rack("rack", topology::racks("rack:4"), config, finished);
  for (unsigned h = 0; h < hosts; ++h) {
    rack.resize_memory(h, receive_buffers + message_buffers(config.params.flow_control.messages, 1024));
    auto* const operands = reinterpret_cast<std::int32_t*>(rack.memory_of(h));
    for (std::size_t i = 0; i < tensor / 4; ++i) operands[i] = static_cast<std::int32_t>(i + h);
  }

  ProbeDirectory probes;
  rack.describe(probes);
  SignalCounters counters;
  counters.add(probes, {{"*.slot.completed", "slots completed"}, {"*.slot.duplicate", "duplicates"}});
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  rack.reset();

  // Job initialisation: a ring, a connection from each host to the next, and each host's plan.
  const std::uint16_t ring = rack.rings().add_ring({0, 1, 2, 3}, ElementType::i32, ReduceOp::sum);
  const std::vector<HostConnection>& connections = rack.rings().connections(ring);
  for (const HostConnection& c : connections) rack.join(c);
  rack.set_rings();
  const Tick start = kernel_now() + NetReducePlatform::command_latency(config.params);
  for (std::size_t r = 0; r < hosts; ++r) {
    RingPlan plan;
    plan.ring = ring;
    plan.rank = static_cast<std::uint16_t>(r);
    plan.send_pair = connections[r].from_pair;
    plan.receive_pair = connections[(r + hosts - 1) % hosts].to_pair;
    plan.bytes = tensor;
    plan.result = result;
    plan.receive_buffers = plan.remote_buffers = receive_buffers;
    rack.post(static_cast<unsigned>(r), {{}, {plan}}, start);
  }
  sc_core::sc_start();

  std::size_t wrong = 0;
  for (unsigned h = 0; h < hosts; ++h) {
    const auto* const sums = reinterpret_cast<const std::int32_t*>(rack.memory_of(h) + result);
    for (std::size_t i = 0; i < tensor / 4; ++i)
      wrong += sums[i] != static_cast<std::int32_t>(hosts * i + hosts * (hosts - 1) / 2);
  }
  std::cout << "all-reduce of " << tensor << " B in " << finished.last() - start << " ps, " << wrong << " wrong\n";
  for (const SignalCounters::Counter& c : counters.counters()) std::cout << std::setw(7) << c.count << " " << c.name << "\n";
  std::cout << std::setw(7) << dram->hits << " reads in an open row, " << dram->misses << " elsewhere\n";
  for (const std::string& line : rack.waiting()) std::cout << line << "\n";
  return wrong == 0 && finished.count() == hosts && rack.waiting().empty() ? 0 : 1;
}
