#include "testbench/family/netreduce/family.h"

#include <algorithm>

#include "modules/base/nearest.h"
#include "modules/rtl/core/recorded_beats.h"
#include "platforms/netreduce/blocks.h"
#include "platforms/topology/racks.h"
#include "testbench/family/netreduce/accelerator_needs.h"
#include "testbench/family/netreduce/accelerator_setting.h"
#include "testbench/family/netreduce/algorithms.h"
#include "testbench/family/netreduce/check_algorithms.h"
#include "testbench/family/netreduce/driver.h"
#include "testbench/family/netreduce/energy.h"
#include "testbench/family/netreduce/faults.h"
#include "testbench/family/netreduce/fluid/ring_of_racks.h"
#include "testbench/family/netreduce/parameters.h"
#include "testbench/family/netreduce/ring_job.h"
#include "testbench/run/errors.h"
#include "testbench/run/facets/algorithms.h"
#include "testbench/run/facets/background.h"
#include "testbench/run/facets/blocks.h"
#include "testbench/run/facets/cost.h"
#include "testbench/run/facets/frames.h"
#include "testbench/run/facets/job_hardware.h"
#include "testbench/run/facets/placement.h"
#include "testbench/run/facets/schedule_files.h"
#include "testbench/run/facets/tasks.h"
#include "testbench/run/facets/trace.h"

namespace tributary {
namespace {

/// Platforms with several GPUs per host cannot run the first algorithm, a ring of hosts.
class HostAlgorithms : public FamilyAlgorithms {
 public:
  std::optional<DefaultAlgorithm> default_algorithm(const topology::PlatformDescription& platform,
                                                    const std::string& collective, const RunParameters&) const override {
    if (collective != "allreduce" || topology::racks(platform.name()).gpus <= 1) return std::nullopt;
    return DefaultAlgorithm{"parallel_netreduce", "netreduce needs one GPU per host"};
  }
  void admit(RunSpec& spec) const override {
    const auto& p = spec.parameters.of<NetReducePlatformParams>();
    admit_jobs(spec, p, racks_of(spec.platform.name(), p));
  }
};

/// Hosts with parameter servers have no ranks.
class HostPlacement : public FamilyPlacement {
 public:
  int participants(const RunSpec& spec, const JobSpec& job) const override {
    const int all = FamilyPlacement::participants(spec, job);
    if (netreduce_algorithm(job).role != HostRole::server) return all;
    const auto& p = spec.parameters.of<NetReducePlatformParams>();
    return std::max(1, all - static_cast<int>(p.parameter_server.servers) * racks_of(spec.platform.name(), p).gpus);
  }
};

class HostBackground : public FamilyBackground {
 public:
  int targets(const topology::PlatformDescription& platform) const override {
    return topology::racks(platform.name()).ranks();
  }
};

class HostCapture : public FamilyCapture {
 public:
  FrameFormat frame_format(const RunSpec& spec, const RunParameters& params) const override {
    const auto& p = params.of<NetReducePlatformParams>();
    return NetReducePlatform::frame_format(racks_of(spec.platform.name(), p), p);
  }
};

/// `--trace-block` takes the number of a packet of the tensor.
class PacketTraces : public FamilyTrace {
 public:
  std::optional<BlockQuery> first(const RunSpec&) const override { return std::nullopt; }
};

/// Memory and tables of the accelerator with the most memory.
class AcceleratorCost : public FamilyCost {
 public:
  CostReport cost(const RunSpec& spec, const RunParameters& params) const override {
    const auto& p = params.of<NetReducePlatformParams>();
    return accelerator_cost(spec, p, racks_of(spec.platform.name(), p));
  }
};

class NetReduceBlocks : public FamilyBlocks {
 public:
  std::vector<BlockInfo> blocks() const override { return netreduce_blocks(); }
  std::unique_ptr<BlockDriver> drive(const std::string& block, const char* name, const BlockFactories* factories,
                                     const FieldValues& config) const override {
    return drive_netreduce_block(block, name, factories, config);
  }
  BlockPlace alone(const std::string& block) const override { return netreduce_block_alone(block); }
  Tick clock(const std::string& block, const FieldValues& config) const override {
    return netreduce_block_clock(block, config);
  }
  std::optional<std::string> setting(const BlockPlace& place, const BlockAccess& access) const override {
    return accelerator_setting(place, access);
  }
  std::unique_ptr<BlockBeats> beats(const BlockPlace& place) const override { return recorded_accelerator_beats(place); }
};

class HostJobHardware : public FamilyJobHardware {
 public:
  std::map<std::string, std::string> hardware_of(const RunSpec& spec, const RunParameters& resolved) const override {
    return host_agents(spec, resolved.of<NetReducePlatformParams>());
  }
};

class NetReduceFamily : public Family {
 public:
  std::string name() const override { return "netreduce"; }
  EndpointWords endpoint_of(const topology::PlatformDescription& platform) const override {
    if (platform.name().empty() || topology::racks(platform.name()).gpus == 1)
      return {"host", "host", "hosts", "hosts on Ethernet"};
    return {"gpu", "GPU", "GPUs", "hosts on Ethernet"};
  }

  std::vector<PlatformForm> platforms() const override {
    std::vector<PlatformForm> forms;
    for (const topology::RacksForm& f : topology::racks_forms()) forms.push_back({f.name, f.hosts, f.about});
    return forms;
  }
  PlatformName platform(const topology::PlatformDescription& platform) const override {
    const topology::Racks machine = topology::racks(platform.name());
    const char* const about = machine.gpus > 1 ? "GPUs of hosts on Ethernet" : "hosts on Ethernet";
    return {platform.name(), about, machine.ranks(), machine.ranks(), machine.gpus};
  }
  topology::Graph graph(const topology::PlatformDescription& platform) const override {
    return topology::racks(platform.name()).graph;
  }
  std::vector<Algorithm> algorithms() const override {
    std::vector<Algorithm> all;
    for (const NetReduceAlgorithm& m : netreduce_algorithms()) all.push_back({m.collective, m.name, m.about});
    return all;
  }
  std::unique_ptr<FamilyParameters> parameters() const override { return netreduce_parameters(); }
  void resolve(const RunSpec& spec, RunParameters& params) const override;
  std::unique_ptr<Driver> make(const RunSpec& spec, const RunParameters& params,
                               CompletionListener& listener) const override {
    return std::make_unique<NetReduceDriver>(spec, params.of<NetReducePlatformParams>(), listener);
  }
  std::unique_ptr<FluidMachine> flows(const RunSpec& spec, const RunParameters& params) const override {
    return RingOfRacks::of(spec, params.of<NetReducePlatformParams>());
  }
  bool has_lanes() const override { return true; }
  bool has_processes() const override { return true; }
  Bytes packet_data(const RunSpec&, const RunParameters& params) const override {
    return params.of<NetReducePlatformParams>().nic.mtu;
  }
  ObservedProbes observed() const override;
  FamilyFacets facets() const override;
};

RecordChoice over_time() {
  RecordChoice choice;
  choice.levels = {{"*.slots.filling", "Accelerators: slots that wait for ranks"},
                   {"*.slots.done", "Accelerators: slots with packets of all ranks"}};
  choice.counters = {{"*.output.vc*.flits", "Output queues"}};
  for (const char* event : {"nic.qp*.timeouts", "nic.qp*.retries", "nic.cnps_sent", "slot.duplicate", "reemissions"})
    choice.events.push_back({std::string("*.") + event, event});
  return choice;
}

FamilyFacets NetReduceFamily::facets() const {
  static const HostAlgorithms algorithms;
  static const HostPlacement placement;
  static const NetReduceBlocks blocks;
  static const AcceleratorCost cost;
  static const FamilyFrames frames;
  static const HostCapture capture;
  static const HostBackground background;
  static const PacketTraces trace;
  static const FamilyScheduleFiles schedule_files;
  static const FamilyTasks tasks;
  static const HostJobHardware job_hardware;
  static const NetReduceEnergy energy;
  FamilyFacets facets;
  facets.energy = &energy;
  facets.algorithms = &algorithms;
  facets.placement = &placement;
  facets.blocks = &blocks;
  facets.cost = &cost;
  facets.frames = &frames;
  facets.capture = &capture;
  facets.background = &background;
  facets.trace = &trace;
  facets.schedule_files = &schedule_files;
  facets.tasks = &tasks;
  facets.job_hardware = &job_hardware;
  return facets;
}

std::vector<std::string> accelerated_algorithms() {
  std::vector<std::string> names;
  for (const NetReduceAlgorithm& m : netreduce_algorithms())
    if (m.accelerated) names.emplace_back(m.name);
  return names;
}

/// The counted events are rare in a run without faults, except complete sums.
ObservedProbes NetReduceFamily::observed() const {
  ObservedProbes observed;
  observed.arrivals = {"*.nic.delivered"};
  observed.background = {"*.nic.datagrams"};
  const auto count = [&](const std::string& probes, const std::string& counters, const std::vector<std::string>& events) {
    for (const std::string& event : events) observed.counters.push_back({probes + event, counters + event});
  };
  count("*.nic.", "nic.", {"fcs_errors", "icrc_errors", "malformed", "cnps_sent"});
  count("*accelerator*.", "accelerator.",
        {"slot.completed", "slot.duplicate", "slot.stale", "slot.refused", "reemissions", "ctt.miss", "clt.refused",
         "clt.unknown", "clt.stale", "clt.behind", "dropped", "fcs_errors", "icrc_errors"});
  observed.over_time = over_time();
  return observed;
}

/// Checks that one slot can be followed: there is only one ring, and its PSNs occur once. PSNs have 24 bits and are compared
/// as serial numbers.
void check_followed(const RunSpec& spec, const NetReducePlatformParams& p) {
  constexpr std::uint64_t most_packets = std::uint64_t{1} << 23;
  const JobSpec& job = spec.jobs.front();
  if (spec.jobs.size() != 1 || spec.messages() != 1)
    throw SetupError("--trace-block follows a packet of one tensor, and there are several; legal: one job with one --size");
  if (!netreduce_algorithm(job).accelerated)
    throw SetupError("--trace-block follows a packet through accelerators, and " + job.algorithm +
                     " has none; legal: " + join_names(accelerated_algorithms()));
  const unsigned length = p.flow_control.messages.message_packets;
  const std::uint64_t packets = std::uint64_t{RingJob(job, job.items.front().size, p).messages()} * length;
  if (packets > most_packets)
    throw SetupError("--trace-block: PSNs of a tensor of " + std::to_string(packets) + " packets repeat; legal: at most " +
                     std::to_string(most_packets) + " packets");
}

void NetReduceFamily::resolve(const RunSpec& spec, RunParameters& params) const {
  NetReducePlatformParams& p = params.of<NetReducePlatformParams>();
  const topology::Racks machine = racks_of(spec.platform.name(), p);
  if (!p.accelerator.combinators) p.accelerator.combinators = std::max(1u, rings_of(spec, machine));
  check_faults(spec, p, machine);
  const Time least = picoseconds(3 * p.nic.rto.value);
  if (params.watchdog.window && *params.watchdog.window < least)
    throw SetupError("watchdog.window=" + to_string(*params.watchdog.window) +
                     " ends a run while timers run; legal: at least 3 times netreduce.nic.rto, " + to_string(least));
  check_algorithms(spec, p, machine);
  check_accelerator_needs(spec, p, machine);
  check_accelerator_buffers(spec, p, machine);
  if (spec.trace.block && machine.gpus > 1)
    throw SetupError("--trace-block follows the packets of hosts with one GPU; legal: rack:H, spine_leaf:RxH");
  if (spec.trace.block) check_followed(spec, p);
}

}  // namespace

const Family& netreduce_family() {
  static const NetReduceFamily family;
  return family;
}

}  // namespace tributary
