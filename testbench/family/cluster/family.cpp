#include "testbench/family/cluster/family.h"

#include <algorithm>
#include <set>

#include "platforms/cluster/cluster_graph.h"
#include "platforms/netreduce/platform_params.h"
#include "platforms/nvswitch/machine.h"
#include "platforms/nvswitch/platform_params.h"
#include "testbench/family/cluster/cluster_machine.h"
#include "testbench/family/cluster/driver.h"
#include "testbench/family/cluster/faults.h"
#include "testbench/family/cluster/parameters.h"
#include "testbench/family/cluster/server_jobs.h"
#include "testbench/run/errors.h"
#include "testbench/run/facets/algorithms.h"
#include "testbench/run/facets/frames.h"
#include "testbench/run/facets/job_hardware.h"
#include "testbench/run/facets/link_faults.h"
#include "testbench/workload/collective.h"

namespace tributary {
namespace {

ServerJobs jobs_of(const RunSpec& spec, const RunParameters& params) {
  const auto& own = params.of<ClusterParams>();
  return {spec.platform.name(), cluster_server(cluster_name(spec.platform.name()).server, own), own};
}

/// Flows have no queues at ports, so their switches are not limited.
std::string note_of_ports(const RunSpec& spec, const ClusterServer& server) {
  const int ports = most_ports(spec.parameters.of<ClusterParams>(), cluster_name(spec.platform.name()).servers, server.nics);
  if (spec.mode != SimulationMode::fluid || ports <= most_switch_ports) return "";
  return "a switch of the network has " + std::to_string(ports) + " ports; by packets at most " +
         std::to_string(most_switch_ports) + " are legal";
}

std::string note_of(const JobSpec& job, const collective::GroupShape& shape, bool flows) {
  if (collective::proved_for_fewer_servers(shape))
    return "the stages of " + std::to_string(shape.ranks()) + " ranks are proved for four servers";
  if (!flows || shape.servers > 1 || job.algorithm.rfind("pull", 0) != 0) return "";
  const char* const page = " % less time than packets (docs/systems/cluster.md#flows-and-packets-of-one-server)";
  if (job.collective == "allreduce") return "flows of an allreduce by pull take up to 8" + std::string(page);
  return job.collective == "broadcast" ? "flows of a broadcast by pull take up to 10" + std::string(page) : "";
}

/// Returns the family of GPUs and NVSwitches.
const Family& server_family() { return family_of("dgx2"); }
/// Returns the family of NICs and Ethernet switches.
const Family& network_family() { return family_of("rack:2"); }

class ClusterAlgorithms : public FamilyAlgorithms {
 public:
  /// The first algorithm pulls, which switches carry out that add.
  std::optional<DefaultAlgorithm> default_algorithm(const topology::PlatformDescription& platform,
                                                    const std::string& collective,
                                                    const RunParameters& given) const override {
    const std::string server = cluster_name(platform.name()).server;
    if (switches_add(cluster_gpus(server), given.of<ClusterParams>())) return std::nullopt;
    for (const collective::StagedAlgorithm& m : collective::staged_algorithms())
      if (m.collective == collective && m.inside == collective::InsideAlgorithm::ring)
        return DefaultAlgorithm{m.name, "the switches of " + server + " do not add"};
    return std::nullopt;
  }
  /// Accelerators and trees have all-reduces alone: rings replace them between servers.
  std::string substitute(const std::string& collective, const std::string& requested) const override {
    const auto& all = collective::staged_algorithms();
    const auto own = std::find_if(all.begin(), all.end(), [&](const auto& m) { return m.name == requested; });
    if (own == all.end()) return "";
    for (const collective::StagedAlgorithm& m : all)
      if (m.collective == collective && m.inside == own->inside && m.between == collective::BetweenAlgorithm::ring &&
          !m.flat)
        return m.name;
    return "";
  }
  /// Adds as notes what is assumed of the servers, which proof is smaller than its group, and which times are inexact.
  void admit(RunSpec& spec) const override {
    const std::string server = cluster_name(spec.platform.name()).server;
    try {
      std::set<std::string> notes;
      for (const JobSpec& job : spec.jobs)
        if (const auto shape = collective::shape_of(job.ranks, cluster_gpus(server).gpus))
          if (const std::string note = note_of(job, *shape, spec.mode == SimulationMode::fluid);
              notes.insert(note).second && !note.empty())
            spec.notes.push_back(note);
      const ClusterServer nics = cluster_server(server, spec.parameters.of<ClusterParams>());
      for (const std::string& note : nics.notes) spec.notes.push_back(server + ": " + note);
      if (const std::string note = note_of_ports(spec, nics); !note.empty()) spec.notes.push_back(note);
    } catch (const std::invalid_argument&) {  // resolve() reports the error
    }
  }
};

class ClusterJobHardware : public FamilyJobHardware {
 public:
  std::map<std::string, std::string> hardware_of(const RunSpec& spec, const RunParameters& resolved) const override {
    return server_family().facets().job_hardware->hardware_of(jobs_of(spec, resolved).run(spec), resolved);
  }
};

/// Frames between NICs.
class ClusterCapture : public FamilyCapture {
 public:
  FrameFormat frame_format(const RunSpec& spec, const RunParameters& params) const override {
    const ClusterName name = cluster_name(spec.platform.name());
    const auto& own = params.of<ClusterParams>();
    const ClusterServer server = cluster_server(name.server, own);
    const ClusterGraph cluster = cluster_graph(machine(name.server).graph, server, name.servers, own, {});
    const ServerJobs jobs = jobs_of(spec, params);
    NetReducePlatformParams network = params.of<NetReducePlatformParams>();
    unsigned& packets = network.flow_control.messages.message_packets;
    packets = jobs.message_packets(spec, packets, static_cast<unsigned>(own.mtu.value));
    return EthernetPart::frame_format(cluster.network, network);
  }
};

class ClusterFamily : public Family {
 public:
  std::string name() const override { return "cluster"; }
  EndpointWords endpoint_of(const topology::PlatformDescription&) const override {
    return {"gpu", "GPU", "GPUs", "clusters of servers"};
  }
  std::vector<PlatformForm> platforms() const override {
    return {{"cluster:NxSERVER", "N x its GPUs",
             "N servers (1 to " + std::to_string(most_cluster_servers) +
                 ") of dgx2, a100, h100, h200, b200, nvl72 or file:FILE, joined by NICs and Ethernet; by flows, up to " +
                 std::to_string(most_packet_servers) + " also by packets"}};
  }
  PlatformName platform(const topology::PlatformDescription& platform) const override {
    const ClusterName name = cluster_name(platform.name());
    const int gpus = name.servers * cluster_gpus(name.server).gpus;
    return {platform.name(), "servers of GPUs and NVSwitches, joined by NICs", gpus, gpus};
  }
  /// Returns the graph of one of the servers.
  topology::Graph graph(const topology::PlatformDescription& platform) const override {
    return machine(cluster_name(platform.name()).server).graph;
  }
  /// Returns the graph of all servers and their network, if packets simulate as many.
  topology::Graph graph_of_run(const RunSpec& spec) const override {
    return cluster_name(spec.platform.name()).servers > most_packet_servers ? graph(spec.platform) : packet_graph(spec);
  }
  std::vector<Algorithm> algorithms() const override {
    std::vector<Algorithm> all;
    for (const collective::StagedAlgorithm& m : collective::staged_algorithms())
      all.push_back({m.collective, m.name, m.about});
    for (const Algorithm& a : server_family().algorithms()) {
      const auto same = [&](const Algorithm& b) { return a.collective == b.collective && a.name == b.name; };
      if (std::none_of(all.begin(), all.end(), same)) all.push_back({a.collective, a.name, "in one server: " + a.about});
    }
    return all;
  }
  std::unique_ptr<FamilyParameters> parameters() const override { return cluster_parameters(); }
  void resolve(const RunSpec& spec, RunParameters& params) const override;
  std::unique_ptr<Driver> make(const RunSpec& spec, const RunParameters& params,
                               CompletionListener& listener) const override {
    return std::make_unique<ClusterDriver>(spec, params, listener);
  }
  /// Flows are the default, which large clusters need.
  bool has_packets() const override { return false; }
  bool has_lanes() const override { return true; }
  bool has_processes() const override { return true; }
  /// Ranks that exchange data in pairs are mostly in different servers, and TLPs carry their data to and from NICs.
  Bytes packet_data(const RunSpec& spec, const RunParameters& params) const override {
    const JobSpec& job = spec.jobs.front();
    const bool in_pairs = !job.step && collective_of(job.collective).chunking == collective::Chunking::pairs;
    const bool leaves = in_pairs && cluster_name(spec.platform.name()).servers > 1;
    return leaves ? params.of<ClusterParams>().pcie.payload : bytes(block_bytes);
  }
  std::unique_ptr<FluidMachine> flows(const RunSpec& spec, const RunParameters& params) const override {
    return std::make_unique<ClusterMachine>(spec, params);
  }
  /// Servers are equal, and so are racks, which have a leaf each.
  int period(const RunSpec& spec) const override {
    RunParameters params = spec.parameters;
    resolve_cluster(spec.platform, params);
    const ClusterModel model = cluster_model(spec.platform, params);
    return model.server.gpus * (model.leaf_is_rack ? model.servers / model.racks : 1);
  }
  std::vector<std::string> parameter_prefixes() const override { return {name(), "nvswitch", "netreduce"}; }
  /// Arrivals at GPUs are those of NVLinks. Sources of frames are NICs, not GPUs, so frames have a latency of their own.
  ObservedProbes observed() const override {
    ObservedProbes observed = server_family().observed();
    observed.arrivals = {"*.gpu*.delivered", "*.tables.absorbed"};
    const ObservedProbes network = network_family().observed();
    observed.others = {{"ethernet", network.arrivals, network.counters}};
    return observed;
  }
  FamilyFacets facets() const override {
    static const ClusterAlgorithms algorithms;
    static const ClusterJobHardware job_hardware;
    static const ClusterCapture capture;
    static const ClusterFrames frames;
    static const FamilyLinkFaults link_faults;
    FamilyFacets facets;
    facets.algorithms = &algorithms;
    facets.job_hardware = &job_hardware;
    facets.capture = &capture;
    facets.frames = &frames;
    facets.link_faults = &link_faults;
    return facets;
  }

 private:
  static void resolve_packets(const RunSpec& spec, RunParameters& params);
};

void ClusterFamily::resolve(const RunSpec& spec, RunParameters& params) const {
  try {
    check_used(spec.parameters);
    if (spec.mode != SimulationMode::fluid) return resolve_packets(spec, params);
    check_flow_parameters(spec.platform.name(), spec.parameters);
    resolve_cluster(spec.platform, params);
    ClusterMachine checked(spec, params);
  } catch (const std::invalid_argument& error) {
    throw SetupError(error.what());
  }
}

void ClusterFamily::resolve_packets(const RunSpec& spec, RunParameters& params) {
  check_packet_parameters(spec.platform.name(), spec.parameters);
  const ClusterName name = cluster_name(spec.platform.name());
  if (name.servers > most_packet_servers)
    throw SetupError(spec.platform.name() + ": packets of more than " + std::to_string(most_packet_servers) +
                     " servers (legal: fewer servers, or --mode fluid)");
  if (params.of<NvSwitchPlatformParams>().placement != Placement::contiguous)
    throw SetupError("nvswitch.placement places the ranks of one server (legal: --ranks)");
  const ServerJobs jobs = jobs_of(spec, params);
  const ClusterGraph cluster = cluster_graph(
      machine(name.server).graph, jobs.server(), name.servers, params.of<ClusterParams>(),
      {true, std::any_of(spec.jobs.begin(), spec.jobs.end(), [&](const JobSpec& j) { return jobs.accelerated(j); })});
  check_faults(spec, cluster.graph);
  const auto& network = params.of<NetReducePlatformParams>();
  jobs.message_packets(spec, network.flow_control.messages.message_packets,
                       static_cast<unsigned>(params.of<ClusterParams>().mtu.value));
  RunSpec run = jobs.run(spec);
  for (JobSpec& job : run.jobs) job = jobs.in_first_server(job);
  server_family().resolve(run, params);
  DmaParams& dma = params.of<NvSwitchPlatformParams>().gpu.dma;
  if (!dma.multicast_waves) dma.multicast_waves = dma.waves;
}

}  // namespace

const Family& cluster_family() {
  static const ClusterFamily family;
  return family;
}

}  // namespace tributary
