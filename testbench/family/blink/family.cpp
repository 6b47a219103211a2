#include "testbench/family/blink/family.h"

#include <stdexcept>

#include "modules/rtl/core/recorded_beats.h"
#include "platforms/blink/blocks.h"
#include "platforms/topology/files/fabric_file.h"
#include "platforms/topology/gpu_kinds.h"
#include "testbench/family/blink/algorithms.h"
#include "testbench/family/blink/channel_algorithms.h"
#include "testbench/family/blink/channel_rings.h"
#include "testbench/family/blink/driver.h"
#include "testbench/family/blink/energy.h"
#include "testbench/family/blink/job_schedule.h"
#include "testbench/family/blink/job_trees.h"
#include "testbench/family/blink/parameters.h"
#include "testbench/family/blink/resolve.h"
#include "testbench/family/blink/searches.h"
#include "testbench/family/blink/servers.h"
#include "testbench/run/facets/algorithms.h"
#include "testbench/run/facets/blocks.h"
#include "testbench/run/facets/files.h"
#include "testbench/run/facets/schedule_files.h"
#include "testbench/run/facets/trace.h"

namespace tributary {
namespace {

class BlinkFiles : public FamilyFiles {
 public:
  bool takes(const topology::PlatformDescription& platform) const override {
    return !platform.is_file() || (platform.file_server() != nullptr && !topology::is_fabric(*platform.file_server()));
  }
  std::vector<std::string> notes(const topology::PlatformDescription& platform) const override {
    if (platform.file_server() == nullptr) return {};
    std::vector<std::string> notes = platform.file_server()->notes;
    if (const std::string assumed = topology::gpu_kind(platform, *platform.file_server()).note; !assumed.empty())
      notes.push_back(assumed);
    return notes;
  }
};

class BlinkAlgorithms : public FamilyAlgorithms {
 public:
  void check_carried(const RunSpec& spec, const RunParameters& params) const override {
    const auto& p = params.of<BlinkParams>();
    const topology::ServerGraph servers = servers_of(spec.platform, p.platform);
    for (const JobSpec& job : spec.jobs)
      if (has_channels(job))
        channel_rings(servers.server(), job.ranks, p.platform.nccl.copies, nics_of(spec.platform, p.platform),
                      p.codegen.rings.fallback);
      else if (has_trees(job))
        check_trees(tree_algorithm(job.collective, job.algorithm), job, servers, p.codegen);
  }
};

class BlinkBlocks : public FamilyBlocks {
 public:
  std::vector<BlockInfo> blocks() const override { return blink_blocks(); }
  std::unique_ptr<BlockDriver> drive(const std::string& block, const char* name, const BlockFactories* factories,
                                     const FieldValues& config) const override {
    return drive_blink_block(block, name, factories, config);
  }
  BlockPlace alone(const std::string& block) const override { return blink_block_alone(block); }
  Tick clock(const std::string& block, const FieldValues& config) const override { return blink_block_clock(block, config); }
  std::unique_ptr<BlockBeats> beats(const BlockPlace& place) const override { return recorded_copy_beats(place); }
};

/// `--trace-block` takes the number of a chunk of trees.
class ChunkTraces : public FamilyTrace {
 public:
  std::optional<BlockQuery> first(const RunSpec& spec) const override {
    return follows_chunks(spec) ? FamilyTrace::first(spec) : std::nullopt;
  }
};

class BlinkFamily : public Family {
 public:
  std::string name() const override { return "blink"; }
  EndpointWords endpoint_of(const topology::PlatformDescription&) const override {
    return {"gpu", "GPU", "GPUs", "servers of GPUs with copy engines"};
  }

  std::vector<PlatformForm> platforms() const override {
    std::vector<PlatformForm> forms;
    for (const topology::ServerForm& f : topology::server_forms())
      if (!f.switched) forms.push_back({f.name, std::to_string(f.gpus), f.about});  // others: family nvswitch
    for (const topology::ServerForm& f : topology::server_file_forms()) forms.push_back({f.name, "its GPUs", f.about});
    forms.push_back({"servers:NxSERVER", "N x its GPUs", "N of these servers (2 to 16), joined by their NICs"});
    return forms;
  }
  PlatformName platform(const topology::PlatformDescription& platform) const override {
    const int gpus = servers_of(platform, {}).gpus();
    return {platform.name(), "server of GPUs with copy engines", gpus, gpus};
  }
  topology::Graph graph(const topology::PlatformDescription& platform) const override {
    return servers_of(platform, {}).graph();
  }
  std::vector<Algorithm> algorithms() const override {
    std::vector<Algorithm> all;
    for (const TreeAlgorithm& m : tree_algorithms()) all.push_back(m.algorithm);
    for (const Algorithm& m : channel_algorithms()) all.push_back(m);
    return all;
  }

  std::unique_ptr<FamilyParameters> parameters() const override { return blink_parameters(); }
  void resolve(const RunSpec& spec, RunParameters& params) const override {
    params.of<BlinkParams>() = resolve_blink(spec, params.of<BlinkParams>());
  }
  std::unique_ptr<Driver> make(const RunSpec& spec, const RunParameters& params,
                               CompletionListener& listener) const override {
    return std::make_unique<BlinkDriver>(spec, params.of<BlinkParams>(), listener);
  }
  bool has_lanes() const override { return true; }
  bool has_processes() const override { return true; }
  Bytes packet_data(const RunSpec&, const RunParameters& params) const override {
    const StreamGpuParams& gpu = params.of<BlinkParams>().platform.gpu;
    return bytes(gpu.nvlink.payload.value * gpu.copy.burst);
  }
  ObservedProbes observed() const override {
    ObservedProbes observed;
    observed.arrivals = {"*.delivered"};
    RecordChoice& choice = observed.over_time;
    choice.levels = {{"*.engine*.busy", "Copy engines: share of time"}};
    choice.counters = {{"*.output.vc*.flits", "Output queues"},
                       {"*.output.vc*.credits_used", "Credits in use"},
                       {"*.peer*.queued", "Bursts that wait for links"}};
    choice.stages = {{"*.kernel.busy", "Kernels of the GPUs"}};
    return observed;
  }
  FamilyFacets facets() const override {
    static const BlinkFiles files;
    static const BlinkAlgorithms algorithms;
    static const BlinkBlocks blocks;
    static const ChunkTraces trace;
    static const FamilyScheduleFiles schedule_files;
    static const BlinkEnergy energy;
    static const BlinkSearches searches;
    FamilyFacets facets;
    facets.energy = &energy;
    facets.files = &files;
    facets.algorithms = &algorithms;
    facets.blocks = &blocks;
    facets.trace = &trace;
    facets.schedule_files = &schedule_files;
    facets.searches = &searches;
    return facets;
  }
};

}  // namespace

const Family& blink_family() {
  static const BlinkFamily family;
  return family;
}

}  // namespace tributary
