#include "testbench/family/tofino/family.h"

#include <limits>

#include "platforms/topology/tofino.h"
#include "testbench/family/tofino/algorithms.h"
#include "testbench/family/tofino/driver.h"
#include "testbench/family/tofino/energy.h"
#include "testbench/family/tofino/faults.h"
#include "testbench/family/tofino/fixed_scaling.h"
#include "testbench/family/tofino/parameters.h"
#include "testbench/run/errors.h"
#include "testbench/run/facets/frames.h"
#include "testbench/run/facets/job_hardware.h"

namespace tributary {
namespace {

/// The program of the switch is for one algorithm and one number of workers.
class TofinoJobHardware : public FamilyJobHardware {
 public:
  std::map<std::string, std::string> hardware_of(const RunSpec& spec, const RunParameters&) const override {
    const JobSpec& job = spec.jobs.front();
    return {{"program", job.algorithm + " of " + std::to_string(job.ranks.size()) + " workers"}};
  }
};

class TofinoFamily : public Family {
 public:
  std::string name() const override { return "tofino"; }
  EndpointWords endpoint_of(const topology::PlatformDescription&) const override {
    return {"host", "host", "hosts", "hosts on a programmable switch"};
  }

  std::vector<PlatformForm> platforms() const override {
    return {{"tofino:H", "H",
             "H hosts (2 to " + std::to_string(topology::most_tofino_hosts) +
                 ") on a programmable switch; with a parameter server for ATP"}};
  }
  PlatformName platform(const topology::PlatformDescription& platform) const override {
    const int hosts = topology::tofino(platform.name()).hosts;
    return {platform.name(), "hosts on a programmable switch", hosts, hosts};
  }
  topology::Graph graph(const topology::PlatformDescription& platform) const override {
    return topology::tofino(platform.name()).graph;
  }
  std::vector<Algorithm> algorithms() const override {
    std::vector<Algorithm> all;
    for (const TofinoAlgorithm& m : tofino_algorithms()) all.push_back({m.collective, m.name, m.about});
    return all;
  }

  std::unique_ptr<FamilyParameters> parameters() const override { return tofino_parameters(); }
  void resolve(const RunSpec& spec, RunParameters& params) const override;
  std::unique_ptr<Driver> make(const RunSpec& spec, const RunParameters& params,
                               CompletionListener& listener) const override {
    return std::make_unique<TofinoDriver>(spec, params.of<TofinoPlatformParams>(), listener);
  }
  bool has_lanes() const override { return true; }
  Bytes packet_data(const RunSpec& spec, const RunParameters& params) const override {
    const auto& p = params.of<TofinoPlatformParams>();
    return spec.jobs.front().algorithm == "atp" ? p.atp.payload : p.switchml.payload;
  }
  ObservedProbes observed() const override {
    ObservedProbes observed;
    observed.arrivals = {"*.worker.delivered"};
    RecordChoice& choice = observed.over_time;
    choice.levels = {{"*.aggregators.taken", "Aggregators taken"}, {"*.pool.slots.counting", "Slots that wait for workers"}};
    for (const char* event : {"aggregators.collided", "worker.resent", "worker.duplicate"})
      choice.events.push_back({std::string("*.") + event, event});
    return observed;
  }
  FamilyFacets facets() const override {
    static const FamilyFrames frames;
    static const TofinoJobHardware job_hardware;
    static const TofinoEnergy energy;
    FamilyFacets facets;
    facets.energy = &energy;
    facets.frames = &frames;
    facets.job_hardware = &job_hardware;
    return facets;
  }
};

void TofinoFamily::resolve(const RunSpec& spec, RunParameters& params) const {
  if (spec.jobs.size() != 1)
    throw SetupError(std::to_string(spec.jobs.size()) + " jobs on a programmable switch; legal: one");
  const JobSpec& job = spec.jobs.front();
  if (job.type != ElementType::f32 || job.op != ReduceOp::sum)
    throw SetupError(job.algorithm + " adds float32, and nothing else; legal: f32, sum");
  if (spec.data == DataMode::random)
    throw SetupError(job.algorithm + " rounds to fixed point, so sums of random values are not those of float32; legal: " +
                     "exact values, or none");
  const TofinoPlatformParams& p = params.of<TofinoPlatformParams>();
  const TofinoScheme scheme = TofinoScheme::of(tofino_algorithm(job).scheme, p);
  if (scheme.scheme != AggregationScheme::atp && p.switchml.scaling == Scaling::fixed)
    check_fixed_scaling(spec, scheme.worker);
  const topology::Tofino machine = topology::tofino(spec.platform.name(), scheme.scheme == AggregationScheme::atp);
  check_faults(spec, machine);
  const auto ports = static_cast<unsigned>(machine.ports());
  const unsigned usable = PassScheduler(scheme.passes(0, p)).usable_ports();
  if (ports > usable)
    throw SetupError(spec.platform.name() + " with " + job.algorithm + " needs " + std::to_string(ports) +
                     " ports; legal: at most " + std::to_string(usable));
  const std::uint64_t most =
      (std::uint64_t{std::numeric_limits<std::uint32_t>::max()} - 2 * scheme.worker.slots) * scheme.worker.payload;
  for (const WorkItem& item : job.items)
    if (item.size.value > most)
      throw SetupError("a message of " + to_string(item.size) + " has more packets of " + job.algorithm +
                       " than 32 bits can count; legal: at most " + std::to_string(most) + " B");
}

}  // namespace

const Family& tofino_family() {
  static const TofinoFamily family;
  return family;
}

}  // namespace tributary
