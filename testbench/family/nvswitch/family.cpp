#include "testbench/family/nvswitch/family.h"

#include <algorithm>
#include <stdexcept>

#include "modules/rtl/core/recorded_beats.h"
#include "platforms/nvswitch/blocks.h"
#include "platforms/nvswitch/machine.h"
#include "platforms/nvswitch/placement.h"
#include "testbench/family/nvswitch/algorithms.h"
#include "testbench/family/nvswitch/driver.h"
#include "testbench/family/nvswitch/energy.h"
#include "testbench/family/nvswitch/hardware_cost.h"
#include "testbench/family/nvswitch/nccl_plans.h"
#include "testbench/family/nvswitch/parameters.h"
#include "testbench/family/nvswitch/resolve.h"
#include "testbench/run/facets/background.h"
#include "testbench/run/facets/blocks.h"
#include "testbench/run/facets/cost.h"
#include "testbench/run/facets/files.h"
#include "testbench/run/facets/job_hardware.h"
#include "testbench/run/facets/kernels.h"
#include "testbench/run/facets/link_faults.h"
#include "testbench/run/facets/part.h"
#include "testbench/run/facets/placement.h"
#include "testbench/run/facets/schedule_files.h"
#include "testbench/run/facets/tasks.h"
#include "testbench/run/facets/trace.h"
#include "testbench/run/facets/tuner.h"

namespace tributary {
namespace {

class NvSwitchFiles : public FamilyFiles {
 public:
  bool takes(const topology::PlatformDescription& platform) const override {
    return !platform.is_file() || is_machine_file(platform);
  }
  std::vector<std::string> notes(const topology::PlatformDescription& platform) const override {
    return machine(platform).notes;
  }
};

class NvSwitchPlacement : public FamilyPlacement {
 public:
  std::vector<int> place(const RunSpec& spec, int count) const override {
    return tributary::place(machine(spec.platform).graph, count, spec.parameters.of<NvSwitchPlatformParams>().placement);
  }
  void check_rank_list(const RunSpec& spec) const override {
    if (spec.parameters.of<NvSwitchPlatformParams>().placement != Placement::contiguous)
      throw std::invalid_argument(
          "the list itself places the ranks, but nvswitch.placement=spread is set (legal: one of the two)");
  }
};

class NvSwitchBlocks : public FamilyBlocks {
 public:
  std::vector<BlockInfo> blocks() const override { return nvswitch_blocks(); }
  std::unique_ptr<BlockDriver> drive(const std::string& block, const char* name, const BlockFactories* factories,
                                     const FieldValues& config) const override {
    return drive_nvswitch_block(block, name, factories, config);
  }
  BlockPlace alone(const std::string& block) const override { return nvswitch_block_alone(block); }
  Tick clock(const std::string& block, const FieldValues& config) const override {
    return nvswitch_block_clock(block, config);
  }
  std::unique_ptr<BlockBeats> beats(const BlockPlace& place) const override {
    if (auto beats = recorded_table_beats(place)) return beats;
    if (auto beats = recorded_arbiter_beats(place)) return beats;
    return recorded_copy_beats(place);
  }
};

/// Hardware cost of the machine. By Eq. (1), the job with the fewest ranks needs the largest table.
class NvSwitchCost : public FamilyCost {
 public:
  CostReport cost(const RunSpec& spec, const RunParameters& params) const override {
    std::size_t ranks = spec.jobs.front().ranks.size();
    Reduces reduces = nvswitch_algorithm(spec.jobs.front()).reduces;
    for (const JobSpec& job : spec.jobs) {
      ranks = std::min(ranks, job.ranks.size());
      if (nvswitch_algorithm(job).reduces != reduces) reduces = Reduces::in_gpus;
    }
    const HardwareCost cost =
        hardware_cost(machine(spec.platform).graph, params.of<NvSwitchPlatformParams>(), static_cast<int>(ranks));
    return {cost_values(cost), cost_text(cost, reduces)};
  }
};

class NvSwitchTuner : public FamilyTuner {
 public:
  std::string table(const RunSpec& spec, const RunParameters& params) const override {
    std::string text;
    for (const JobSpec& job : spec.jobs)
      if (nvswitch_algorithm(job).channels) text += tuner_text(job, params.of<NvSwitchPlatformParams>());
    return text;
  }
};

class NvSwitchKernels : public FamilyKernels {
 public:
  bool has_kernels(const JobSpec& job) const override { return runs_kernels(job); }
};

/// GPUs have wave counters for their job, and stream engines if any job needs them.
class NvSwitchJobHardware : public FamilyJobHardware {
 public:
  std::map<std::string, std::string> hardware_of(const RunSpec& spec, const RunParameters& resolved) const override {
    const auto counters = [](std::uint32_t waves) { return std::to_string(waves) + " wave counters"; };
    std::map<std::string, std::string> parts{{"gpu", counters(*resolved.of<NvSwitchPlatformParams>().gpu.dma.waves)}};
    for (const JobSpec& job : spec.jobs) {
      if (nvswitch_algorithm(job).streams != nullptr) parts["stream engines"] = "in each GPU";
      if (uses_nvls(job, resolved.of<NvSwitchPlatformParams>())) parts["nvls engines"] = "in each GPU";
      for (const int gpu : job.ranks) parts["gpu" + std::to_string(gpu)] = counters(waves_of(spec, job));
    }
    return parts;
  }
};

class NvSwitchFamily : public Family, public FamilyPart {
 public:
  std::string name() const override { return "nvswitch"; }
  EndpointWords endpoint_of(const topology::PlatformDescription&) const override {
    return {"gpu", "GPU", "GPUs", "machines of GPUs"};
  }

  std::vector<PlatformForm> platforms() const override {
    std::vector<PlatformForm> forms;
    for (const MachineName& m : machine_names()) forms.push_back({m.name, std::to_string(m.participants), m.about});
    forms.push_back({"file:FILE", "its GPUs", "GPUs around NVSwitches, in a file (docs/topology_files.md)"});
    return forms;
  }
  PlatformName platform(const topology::PlatformDescription& platform) const override {
    const MachineName m = machine_name(platform);
    return {m.name, m.about, m.gpus, m.participants};
  }
  topology::Graph graph(const topology::PlatformDescription& platform) const override { return machine(platform).graph; }
  std::vector<Algorithm> algorithms() const override {
    std::vector<Algorithm> all;
    for (const NvSwitchAlgorithm& m : nvswitch_algorithms()) all.push_back({m.collective, m.name, m.about});
    return all;
  }

  std::unique_ptr<FamilyParameters> parameters() const override { return nvswitch_parameters(); }
  void resolve(const RunSpec& spec, RunParameters& params) const override {
    params.of<NvSwitchPlatformParams>() = resolve_nvswitch(spec);
  }

  std::unique_ptr<Driver> make(const RunSpec& spec, const RunParameters& params,
                               CompletionListener& listener) const override {
    return std::make_unique<NvSwitchDriver>(spec, params.of<NvSwitchPlatformParams>(), listener);
  }
  std::unique_ptr<Driver> make_in(PartPlace& place, const RunSpec& spec, const RunParameters& params,
                                  CompletionListener& listener) const override {
    return std::make_unique<NvSwitchDriver>(spec, params.of<NvSwitchPlatformParams>(), listener,
                                            dynamic_cast<NvSwitchHost&>(place));
  }
  bool has_lanes() const override { return true; }
  bool has_processes() const override { return true; }
  Bytes packet_data(const RunSpec&, const RunParameters&) const override { return bytes(block_bytes); }
  ObservedProbes observed() const override;
  FamilyFacets facets() const override;
};

RecordChoice over_time() {
  RecordChoice choice;
  choice.levels = {{"*.table.occupancy", "Reduction tables: entries in use"}};
  choice.counters = {{"*.output.vc*.flits", "Output queues"},
                     {"*.output.vc*.credits_used", "Credits in use"},
                     {"*.table.queue", "Queues of tables"},
                     {"*.dma.credits", "Requests that waves allow"}};
  for (const char* event : {"evictions", "timeouts", "stalls", "misses"})
    choice.events.push_back({std::string("*.table.") + event, std::string("tables: ") + event});
  choice.events.push_back({"*.dma.retries", "DMA engines: no free wave"});
  choice.stages = {{"*.operation.stage", "Stages of the GPUs"}, {"*.channel_kernel", "Kernels of NCCL"}};
  choice.spans = {{"*.dma.wave*.base", "count", "Waves in flight"}};
  return choice;
}

ObservedProbes NvSwitchFamily::observed() const {
  ObservedProbes observed;
  observed.arrivals = {"*.delivered", "*.tables.absorbed"};
  observed.background = {"*.background"};
  observed.counters = {
      {"*.home.partials", "gpu.partials"}, {"*.home.results", "gpu.home_results"}, {"*.dma.retries", "gpu.dma_retries"}};
  const auto count = [&](const std::string& probes, const std::string& counters, const std::vector<std::string>& events) {
    for (const std::string& event : events) observed.counters.push_back({probes + event, counters + event});
  };
  count("*.table.", "switch.", {"allocations", "merges", "completions", "evictions", "timeouts", "stalls", "misses"});
  count("*.acks.", "switch.ack_", {"merges", "passes", "refusals"});
  count("*.link.", "link.", {"crc_errors", "retransmissions", "duplicates_dropped"});
  observed.progress = {"switch.merges", "switch.completions"};
  observed.over_time = over_time();
  return observed;
}

FamilyFacets NvSwitchFamily::facets() const {
  static const NvSwitchFiles files;
  static const NvSwitchPlacement placement;
  static const NvSwitchBlocks blocks;
  static const NvSwitchCost cost;
  static const NvSwitchEnergy energy;
  static const NvSwitchTuner tuner;
  static const NvSwitchKernels kernels;
  static const FamilyLinkFaults link_faults;
  static const FamilyBackground background;
  static const FamilyTrace trace;
  static const FamilyTasks tasks;
  static const FamilyScheduleFiles schedule_files;
  static const NvSwitchJobHardware job_hardware;
  FamilyFacets facets;
  facets.files = &files;
  facets.placement = &placement;
  facets.blocks = &blocks;
  facets.cost = &cost;
  facets.energy = &energy;
  facets.tuner = &tuner;
  facets.kernels = &kernels;
  facets.link_faults = &link_faults;
  facets.background = &background;
  facets.trace = &trace;
  facets.tasks = &tasks;
  facets.schedule_files = &schedule_files;
  facets.job_hardware = &job_hardware;
  return facets;
}

}  // namespace

const Family& nvswitch_family() {
  static const NvSwitchFamily family;
  return family;
}

}  // namespace tributary
