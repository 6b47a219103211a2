#include "testbench/family/netreduce/driver.h"

#include <algorithm>
#include <utility>

#include "modules/base/index.h"
#include "modules/netreduce/core/chunker.h"
#include "platforms/netreduce/blocks.h"
#include "testbench/family/netreduce/algorithms.h"
#include "testbench/family/netreduce/bottlenecks.h"
#include "testbench/family/netreduce/fluid/fluid_lowering.h"
#include "testbench/family/netreduce/host_loads.h"
#include "testbench/family/netreduce/ring_job.h"
#include "testbench/family/netreduce/server_job.h"
#include "testbench/family/netreduce/slot_trace.h"
#include "testbench/family/netreduce/step_plan.h"
#include "testbench/workload/job_group.h"
#include "testbench/workload/memory_layout.h"
#include "testbench/workload/transfer_count.h"

namespace tributary {
namespace {

std::string module_name(const std::string& platform) { return platform.substr(0, platform.find(':')); }

std::vector<HostRole> roles_of(const RunSpec& spec, const topology::Racks& machine, const NetReducePlatformParams& params) {
  std::vector<HostRole> roles(static_cast<std::size_t>(machine.all_hosts()), HostRole::commands);
  for (const JobSpec& job : spec.jobs) {
    const HostRole role = job.step ? HostRole::step : netreduce_algorithm(job).role;
    const bool served = role == HostRole::server;
    for (const int host : host_shape(job, machine.gpus).hosts)
      roles[static_cast<std::size_t>(host)] = served ? HostRole::commands : role;
    if (!served) continue;
    for (const int host : server_hosts(machine, params)) roles[static_cast<std::size_t>(host)] = role;
  }
  return roles;
}

/// Returns the rank of each host on the rings of its job. A host without a job has its own number.
std::vector<std::uint16_t> ranks_of(const RunSpec& spec, int gpus) {
  std::vector<std::uint16_t> ranks;
  for (const JobSpec& job : spec.jobs) {
    const std::vector<int> hosts = host_shape(job, gpus).hosts;
    for (std::size_t r = 0; r < hosts.size(); ++r) {
      const auto host = static_cast<std::size_t>(hosts[r]);
      while (ranks.size() <= host) ranks.push_back(static_cast<std::uint16_t>(ranks.size()));
      ranks[host] = static_cast<std::uint16_t>(r);
    }
  }
  return ranks;
}

NetReducePlatform::Config config_of(const RunSpec& spec, const NetReducePlatformParams& params) {
  const topology::Racks machine = racks_of(spec.platform.name(), params);
  NetReducePlatform::Config c;
  c.params = params;
  c.roles = roles_of(spec, machine, params);
  c.with_data = spec.data != DataMode::none;
  c.windowed = spec.mode == SimulationMode::windowed;
  c.seed = spec.seed;
  c.lanes = spec.lanes();
  replace_blocks(c, spec.blocks);
  if (spec.background_load > 0) c.background = {spec.background_load, spec.background_target};
  for (const std::string& rule : spec.frame_faults) c.faults.push_back(parse_fault_rule(rule));
  c.rank_of = ranks_of(spec, machine.gpus);
  for (const JobSpec& job : spec.jobs) c.fallbacks += job.asked_algorithm.empty() ? 0 : 1;
  return c;
}

/// Returns the name of a role for messages.
std::string name_of(HostRole role) {
  switch (role) {
    case HostRole::flow_control:
      return "an agent of rings";
    case HostRole::commands:
      return "an agent of commands";
    case HostRole::machine:
      return "an agent of several GPUs";
    case HostRole::server:
      return "a parameter server";
    case HostRole::step:
      break;
  }
  return "an agent of steps";
}

}  // namespace

std::map<std::string, std::string> host_agents(const RunSpec& spec, const NetReducePlatformParams& params) {
  const topology::Racks machine = racks_of(spec.platform.name(), params);
  const std::vector<HostRole> roles = roles_of(spec, machine, params);
  std::map<std::string, std::string> parts{{"host", name_of(HostRole::commands)}};
  const auto add = [&](int host) {
    parts["host" + std::to_string(host)] = name_of(roles.at(static_cast<std::size_t>(host)));
  };
  for (const JobSpec& job : spec.jobs) {
    for (const int host : host_shape(job, machine.gpus).hosts) add(host);
    if (netreduce_algorithm(job).role != HostRole::server) continue;
    for (const int host : server_hosts(machine, params)) add(host);
  }
  return parts;
}

topology::Racks racks_of(const std::string& platform, const NetReducePlatformParams& params) {
  return topology::racks(platform, static_cast<int>(params.accelerator.ports.value_or(0)), static_cast<int>(params.spines));
}

NetReduceDriver::NetReduceDriver(const RunSpec& spec, const NetReducePlatformParams& params, CompletionListener& listener)
    : params_(params),
      specs_(spec.jobs),
      with_data_(spec.data != DataMode::none),
      system_(module_name(spec.platform.name()).c_str(), racks_of(spec.platform.name(), params), config_of(spec, params),
              listener),
      bottlenecks_(netreduce_bottlenecks(spec, params, [this](const ResultRow& row) { return chain_of(row); })),
      flows_(params.flow_control.messages.message_packets) {}

DriverFacets NetReduceDriver::facets() {
  DriverFacets facets;
  facets.trace = this;
  facets.timeline = this;
  facets.fluid = this;
  facets.background = this;
  facets.servers = this;
  return facets;
}

TracedNumbers NetReduceDriver::numbers(const std::vector<Task>& tasks) {
  const unsigned length = params_.flow_control.messages.message_packets;
  std::uint64_t packets = 0;
  for (const Task& task : tasks)
    packets = std::max(packets, std::uint64_t{RingJob(*task.job, task.size, params_).messages()} * length);
  return {packets, "the tensor", "packet", ", " + std::to_string(length) + " in a message"};
}

std::unique_ptr<LifeTrace> NetReduceDriver::follow(const BlockQuery& query, const ProbeDirectory& probes) {
  return std::make_unique<SlotTrace>(system_, flows_, probes, query);
}

std::vector<EntrySource> NetReduceDriver::entries(const ProbeDirectory& probes) {
  return entries_.emplace(probes, params_.flow_control.messages.message_packets).sources();
}

std::unique_ptr<FluidLowering> NetReduceDriver::fluid() {
  return std::make_unique<HostFluidLowering>(system_,
                                             [this](const JobSpec& job, Bytes message) { return software(job, message); });
}

std::uint64_t NetReduceDriver::memory_bytes(const JobSpec& job, Bytes message) {
  const std::uint64_t bytes = bytes_needed(job, message);
  system_.reserve(bytes);
  return bytes;
}

std::uint64_t NetReduceDriver::memory_beside_ranks(const JobSpec& job, Bytes message) const {
  if (job.step || netreduce_algorithm(job).role != HostRole::server) return 0;
  const ServerJob served(job, message, params_);
  return served.servers() * served.server(0).memory_bytes();
}

std::uint64_t NetReduceDriver::bytes_needed(const JobSpec& job, Bytes message) const {
  if (job.step) return StepPlan(job, params_).memory_bytes();
  switch (netreduce_algorithm(job).role) {
    case HostRole::flow_control:
      return RingJob(job, message, params_).layout().bytes;
    case HostRole::machine:
      return machine_plan(job, message, 0).layout().bytes;
    case HostRole::server:
      return MemoryLayout::of(job, message).mailboxes;
    case HostRole::step:
    case HostRole::commands:
      break;
  }
  return software(job, message).memory_bytes();
}

ChunkCommands NetReduceDriver::software(const JobSpec& job, Bytes message) const {
  return software_commands(job, message, host_shape(job, gpus()).gpus, params_.host.slice);
}

/// A parameter server adds by rules of its own, and a long schedule would cost more than its packets.
std::optional<collective::LongestChain> NetReduceDriver::chain_of(const ResultRow& row) const {
  constexpr double most = 50'000;
  const JobSpec& job = specs_.at(row.job_index);
  const Bytes message{row.size_bytes};
  if (netreduce_algorithm(job).role != HostRole::commands || job.step) return std::nullopt;
  if (params_.spines > 1) return std::nullopt;  // flows do not choose among spines
  if (transfer_count(job, message, params_.host.slice.value) > most) return std::nullopt;
  HostFluidLowering lowering(system_, [this](const JobSpec& j, Bytes bytes) { return software(j, bytes); });
  collective::ActivityGraph graph;
  for (const FluidLink& link : lowering.links()) graph.add_link(link.rate);
  lowering.add(job, message, 0, graph);
  return collective::LongestChain(graph);
}

MachinePlan NetReduceDriver::machine_plan(const JobSpec& job, Bytes message, std::size_t host) const {
  const int n = host_shape(job, gpus()).gpus;
  const auto first = job.ranks.begin() + static_cast<std::ptrdiff_t>(host) * n;
  return MachinePlan(job, message, {first, first + n}, params_);
}

/// Returns the rate at which the busiest link alone could carry the job.
double NetReduceDriver::bound(const JobSpec& job, Bytes message) {
  HostLoads loads(system_.racks());
  if (job.step)
    for (const JobStep::Part& part : job.step->operations) add_loads(operation_of(job, part), bytes(part.bytes), loads);
  else
    add_loads(job, message, loads);
  const std::uint64_t busiest = loads.busiest();
  if (busiest == 0) return 0;
  return static_cast<double>(message.value) / static_cast<double>(busiest) * static_cast<double>(params_.link.rate.value) *
         1e-9;
}

void NetReduceDriver::add_loads(const JobSpec& job, Bytes message, HostLoads& loads) const {
  switch (netreduce_algorithm(job).role) {
    case HostRole::flow_control: {
      std::vector<int> hosts;
      for (const int end : job.ranks) hosts.push_back(end / gpus());
      return loads.add_ring(RingJob(job, message, params_).bytes(), hosts);
    }
    case HostRole::machine: {
      const HostShape shape = host_shape(job, gpus());
      for (int g = 0; g < shape.gpus; ++g) {
        const std::uint64_t part = collective::chunk_range(g, shape.gpus, message.value).bytes;
        RingPattern all;
        all.ranks = static_cast<unsigned>(shape.hosts.size());
        all.message_packets = params_.flow_control.messages.message_packets, all.mtu = mtu();
        loads.add_ring(RingBytes(all, Chunker(part, all.message_packets, all.mtu).messages()), shape.hosts);
      }
      return;
    }
    case HostRole::server: {
      const ServerJob served(job, message, params_);
      const std::vector<int> servers = server_hosts(system_.racks(), params_);
      for (unsigned s = 0; s < servers.size(); ++s)
        for (const int end : job.ranks) {
          loads.add(end / gpus(), servers[s], served.wire_bytes(s));
          loads.add(servers[s], end / gpus(), served.wire_bytes(s));
        }
      return;
    }
    case HostRole::step:
    case HostRole::commands:
      break;
  }
  const ChunkCommands commands = software(job, message);
  const std::vector<int> ends = gpus_of(job, group_of(job));
  for (std::size_t r = 0; r < ends.size(); ++r)
    for (const ChunkCommand& c : commands.of_rank(static_cast<int>(r)))
      if (c.send) loads.add(ends[r] / gpus(), ends[at(c.send->rank)] / gpus(), write_wire_bytes(c.bytes, mtu()));
}

std::vector<OperandRange> NetReduceDriver::results(const JobSpec& job, Bytes message) const {
  std::vector<OperandRange> ranges = Driver::results(job, message);
  std::uint64_t result = 0;
  if (netreduce_algorithm(job).role == HostRole::flow_control) result = RingJob(job, message, params_).layout().result;
  if (netreduce_algorithm(job).role == HostRole::machine) result = machine_plan(job, message, 0).layout().result;
  for (OperandRange& range : ranges) range.address += result;
  return ranges;
}

std::uint64_t NetReduceDriver::result_distance(const JobSpec& job, const JobStep::Part& part) const {
  return StepPlan::result_distance(job, part, params_);
}

}  // namespace tributary
