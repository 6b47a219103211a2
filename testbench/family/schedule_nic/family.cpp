#include "testbench/family/schedule_nic/family.h"

#include "modules/protocol/segmentation.h"
#include "modules/rtl/core/recorded_beats.h"
#include "platforms/schedule_nic/blocks.h"
#include "platforms/topology/files/anynet.h"
#include "platforms/topology/network.h"
#include "testbench/family/schedule_nic/driver.h"
#include "testbench/family/schedule_nic/energy.h"
#include "testbench/family/schedule_nic/network_lowering.h"
#include "testbench/family/schedule_nic/nic_setting.h"
#include "testbench/family/schedule_nic/parameters.h"
#include "testbench/family/schedule_nic/schedule_report.h"
#include "testbench/run/errors.h"
#include "testbench/run/facets/algorithms.h"
#include "testbench/run/facets/blocks.h"
#include "testbench/run/facets/files.h"
#include "testbench/run/facets/network_schedules.h"
#include "testbench/run/facets/schedule_files.h"
#include "testbench/run/facets/tasks.h"
#include "testbench/run/facets/trace.h"

namespace tributary {
namespace {

class NetworkFiles : public FamilyFiles {
 public:
  bool takes(const topology::PlatformDescription& platform) const override {
    return !platform.is_file() || platform.file_network() != nullptr;
  }
  std::vector<std::string> notes(const topology::PlatformDescription& platform) const override {
    return platform.file_network() != nullptr ? platform.file_network()->warnings : std::vector<std::string>{};
  }
};

class NetworkAlgorithms : public FamilyAlgorithms {
 public:
  /// MultiTree needs more than two rows per node on meshes of more than four nodes, and on some BiGraphs.
  std::optional<DefaultAlgorithm> default_algorithm(const topology::PlatformDescription& platform,
                                                    const std::string& collective, const RunParameters&) const override {
    if (collective != "allreduce" || !overflows(platform)) return std::nullopt;
    return DefaultAlgorithm{"ring",
                            "multitree needs more than two table entries per node (--algorithm multitree --set "
                            "schedule_nic.nic.table.entries=auto)"};
  }
  static bool overflows(const topology::PlatformDescription& platform) {
    constexpr int square = 4;
    if (platform.name().rfind("mesh:", 0) == 0) return topology::network(platform).size() > square;
    if (platform.name().rfind("bigraph:", 0) != 0) return false;
    const topology::Network network = topology::network(platform);
    NetworkParams params;
    params.nic.table.entries = 2 * static_cast<std::uint32_t>(network.size());
    JobSpec job;
    job.collective = "allreduce", job.algorithm = "multitree";
    job.items = {{"", 1_MiB}};
    for (int rank = 0; rank < network.size(); ++rank) job.ranks.push_back(rank);
    try {
      check_network_algorithm(job, network, params);
      return false;
    } catch (const SetupError&) {
      return true;
    }
  }
  void check_carried(const RunSpec& spec, const RunParameters& params) const override {
    const topology::Network network = topology::network(spec.platform);
    for (const JobSpec& job : spec.jobs) check_network_algorithm(job, network, params.of<NetworkParams>());
  }
};

class NetworkSchedules : public FamilyNetworkSchedules {
 public:
  ScheduleText text(const topology::Network& network, const std::string& collective,
                    const collective::NetworkSchedule& schedule) const override {
    const ScheduleSummary summary = summarise(network, collective, schedule);
    return {screen_text(summary), [&network, &schedule, summary] { return schedule_json(network, schedule, summary); }};
  }
};

/// `--trace-block` takes the number of a chunk.
class ChunkTraces : public FamilyTrace {
 public:
  BlockQuery query(std::uint64_t number) const override {
    BlockQuery query = FamilyTrace::query(number);
    query.chunk = true;
    return query;
  }
  std::optional<BlockQuery> first(const RunSpec&) const override { return std::nullopt; }
};

class ScheduleNicBlocks : public FamilyBlocks {
 public:
  std::vector<BlockInfo> blocks() const override { return schedule_nic_blocks(); }
  std::unique_ptr<BlockDriver> drive(const std::string& block, const char* name, const BlockFactories* factories,
                                     const FieldValues& config) const override {
    return drive_schedule_nic_block(block, name, factories, config);
  }
  BlockPlace alone(const std::string& block) const override { return schedule_nic_block_alone(block); }
  Tick clock(const std::string& block, const FieldValues& config) const override {
    return schedule_nic_block_clock(block, config);
  }
  std::optional<std::string> setting(const BlockPlace& place, const BlockAccess& access) const override {
    return nic_setting(place, access);
  }
  std::unique_ptr<BlockBeats> beats(const BlockPlace& place) const override { return recorded_nic_beats(place); }
};

class ScheduleNicFamily : public Family {
 public:
  std::string name() const override { return "schedule_nic"; }
  EndpointWords endpoint_of(const topology::PlatformDescription&) const override {
    return {"nic", "node", "nodes", "networks of NICs"};
  }

  std::vector<PlatformForm> platforms() const override {
    std::vector<PlatformForm> forms;
    for (const topology::NetworkForm& f : topology::network_forms()) forms.push_back({f.name(), f.nodes, f.about});
    return forms;
  }
  PlatformName platform(const topology::PlatformDescription& platform) const override {
    const int nodes = topology::network(platform).size();
    return {platform.name(), "network of NICs", nodes, nodes};
  }
  topology::Graph graph(const topology::PlatformDescription& platform) const override {
    return topology::network(platform).graph;
  }
  /// Returns the algorithms of networks: all of them are schedules, which tables or commands execute.
  std::vector<Algorithm> algorithms() const override {
    std::vector<Algorithm> all;
    for (const collective::NetworkAlgorithm& a : collective::network_algorithms())
      all.push_back({a.collective, a.name, a.about});
    return all;
  }
  std::unique_ptr<FamilyParameters> parameters() const override { return schedule_nic_parameters(); }
  void resolve(const RunSpec& spec, RunParameters& params) const override;
  std::unique_ptr<Driver> make(const RunSpec& spec, const RunParameters& params,
                               CompletionListener& listener) const override {
    return std::make_unique<ScheduleNicDriver>(spec, params.of<NetworkParams>(), listener);
  }
  bool has_lanes() const override { return true; }
  bool has_processes() const override { return true; }
  Bytes packet_data(const RunSpec&, const RunParameters& params) const override {
    return params.of<NetworkParams>().flow_control.payload;
  }
  ObservedProbes observed() const override {
    ObservedProbes observed;
    observed.arrivals = {"*.delivered"};
    RecordChoice& choice = observed.over_time;
    choice.levels = {{"*.nic.entries_left", "Schedule tables: entries left"},
                     {"*.nic.reduction.busy", "Reduction units: share of time"}};
    choice.counters = {{"*.output.vc*.flits", "Output queues"},
                       {"*.output.vc*.credits_used", "Credits in use"},
                       {"*.nic.interface*.chunks", "Queues of interfaces"}};
    choice.events = {{"*.nic.issued", "entries issued"}, {"*.nic.dependency_cleared", "dependencies cleared"}};
    choice.stages = {{"*.nic.step", "Time steps of the NICs"}, {"*.nic.lockstep", "Lockstep counters"}};
    return observed;
  }
  FamilyFacets facets() const override;
};

FamilyFacets ScheduleNicFamily::facets() const {
  static const NetworkAlgorithms algorithms;
  static const NetworkFiles files;
  static const NetworkSchedules network_schedules;
  static const ScheduleNicBlocks blocks;
  static const ChunkTraces trace;
  static const FamilyTasks tasks;
  static const FamilyScheduleFiles schedule_files;
  static const ScheduleNicEnergy energy;
  FamilyFacets facets;
  facets.energy = &energy;
  facets.algorithms = &algorithms;
  facets.files = &files;
  facets.network_schedules = &network_schedules;
  facets.blocks = &blocks;
  facets.trace = &trace;
  facets.tasks = &tasks;
  facets.schedule_files = &schedule_files;
  return facets;
}

void ScheduleNicFamily::resolve(const RunSpec& spec, RunParameters& params) const {
  NetworkParams& n = params.of<NetworkParams>();
  const Segmentation segmentation(n.flow_control);
  if (n.router.buffer_flits < segmentation.largest())
    throw SetupError("schedule_nic.router.buffer_flits=" + std::to_string(n.router.buffer_flits) +
                     " cannot hold a packet of schedule_nic.flow_control.payload; legal: at least " +
                     std::to_string(segmentation.largest()));
  const std::uint64_t packet = std::uint64_t{segmentation.largest()} * ScheduleNicLink::flit_bytes;
  if (packet * 1000 > n.link.rate.value * 4)  // times within a packet have 32 bits of picoseconds
    throw SetupError("a packet of " + std::to_string(packet) +
                     " B (schedule_nic.flow_control.payload=" + to_string(n.flow_control.payload) +
                     ") takes more than 4 ms at schedule_nic.link.rate=" + to_string(n.link.rate) + "; legal: at least " +
                     std::to_string(packet * 250) + " B/s");
  const topology::Network network = topology::network(spec.platform);
  try {
    ScheduleNicPlatform::schedule_network(network, n);
  } catch (const std::invalid_argument& e) {
    throw SetupError(e.what());
  }
  constexpr std::uint32_t most_entries = 65535;
  if (!n.nic.table.entries) n.nic.table.entries = most_entries;
  const bool of_file = spec.platform.is_file();  // the paper's table size holds for its own networks
  if (*n.nic.table.entries == 0)
    n.nic.table.entries = of_file ? most_entries : 2 * static_cast<std::uint32_t>(network.size());
}

}  // namespace

const Family& schedule_nic_family() {
  static const ScheduleNicFamily family;
  return family;
}

}  // namespace tributary
