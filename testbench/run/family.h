#pragma once
/// Family: interface of the testbench to a kind of hardware: its platforms, algorithms and parameters.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "modules/timing/completion_listener.h"
#include "testbench/observe/signal_counter.h"
#include "testbench/record/record_choice.h"
#include "testbench/run/facets/family_facets.h"
#include "testbench/run/run_spec.h"

namespace tributary {

class Driver;
class FamilyPlacement;
class FluidMachine;

/// A row of `list platforms`.
struct PlatformForm {
  std::string name;       ///< `dgx2`, `torus:AxB`
  std::string endpoints;  ///< number of endpoints: `16`, `A x B`
  std::string about;
};

/// A platform that a user has named.
struct PlatformName {
  std::string name;  ///< with its arguments
  std::string about;
  int endpoints = 0;             ///< number of endpoints of the platform
  int participants = 0;          ///< endpoints that take part unless the user sets another number
  int endpoints_per_source = 1;  ///< endpoints that share one source of packets: GPUs of a host with one NIC
};

/// Names of the endpoints in reports and messages.
struct EndpointWords {
  const char* device;     ///< as in `gpu3`
  const char* singular;   ///< `GPU`
  const char* plural;     ///< `GPUs`
  const char* platforms;  ///< platforms with such endpoints: `networks of NICs`
};

/// One algorithm of a collective. Its checks, its lowering and its bound are in the family's methods.h.
struct Algorithm {
  std::string collective, name, about;
};

/// Globs of the names of the probes that a run observes.
struct ObservedProbes {
  /// Packets of another protocol at their destination: they count as progress, and have a latency of their own.
  struct Protocol {
    std::string name;
    std::vector<std::string> arrivals = {};
    std::vector<SignalCounters::Selection> counters = {};  ///< counted if there are such arrivals
  };
  std::vector<std::string> arrivals;                ///< packets at their destination: latency, progress
  std::vector<std::string> background;              ///< packets of background traffic at their destination
  std::vector<SignalCounters::Selection> counters;  ///< signals, and the counter that their changes add to
  std::vector<std::string> progress;                ///< counters that count as progress, as arrivals do
  RecordChoice over_time = {};                      ///< signals that reports and timelines show, in addition to links
  std::vector<Protocol> others = {};                ///< protocols of a part of the devices
};

class Family {
 public:
  virtual ~Family() = default;

  /// Returns the first part of the paths of its parameters: `nvswitch`.
  virtual std::string name() const = 0;
  /// Returns the words for the endpoints of a platform; without a name, of most platforms of the family.
  virtual EndpointWords endpoint_of(const topology::PlatformDescription& platform) const = 0;
  EndpointWords endpoint() const { return endpoint_of(""); }

  virtual std::vector<PlatformForm> platforms() const = 0;
  /// Throws std::invalid_argument, one line, if the arguments do not fit the platform.
  virtual PlatformName platform(const topology::PlatformDescription& platform) const = 0;
  /// Returns the nodes and links of a platform. Throws as platform() does.
  virtual topology::Graph graph(const topology::PlatformDescription& platform) const = 0;
  /// Returns the nodes and links whose names options of a run use, as faults do. They may depend on parameters. Throws
  /// std::invalid_argument, one line.
  virtual topology::Graph graph_of_run(const RunSpec& spec) const;
  /// Returns the algorithms by collective; the first of each is its default, unless facets().algorithms has another.
  virtual std::vector<Algorithm> algorithms() const = 0;
  /// Returns the default values; the paths of the parameters begin with name() and a dot.
  virtual std::unique_ptr<FamilyParameters> parameters() const = 0;
  /// Replaces the automatic values of the family's parameters in `params`, which are those of `spec`. Throws SetupError on
  /// combinations that cannot be simulated.
  virtual void resolve(const RunSpec& spec, RunParameters& params) const = 0;
  /// Elaborates spec.platform. `params`: without automatic values. Throws one line if it cannot be built.
  virtual std::unique_ptr<Driver> make(const RunSpec& spec, const RunParameters& params,
                                       CompletionListener& listener) const = 0;
  virtual ObservedProbes observed() const = 0;
  /// Returns false if runs are by flows() unless they ask for packets.
  virtual bool has_packets() const { return true; }
  /// Returns true if make() divides a platform into RunSpec::lanes() lanes.
  virtual bool has_lanes() const { return false; }
  /// Returns true if these lanes may run in several processes (RunSpec::processes).
  virtual bool has_processes() const { return false; }
  /// Returns the data that one packet of a run carries, from which its work is estimated; 0: unknown. `params`: without
  /// automatic values.
  virtual Bytes packet_data(const RunSpec&, const RunParameters&) const { return {}; }
  /// Returns the flows of spec.platform, which is not elaborated. Null: the driver has the flows (DriverFluid). Throws as
  /// make() does.
  virtual std::unique_ptr<FluidMachine> flows(const RunSpec& spec, const RunParameters& params) const;
  /// Returns the number of endpoints after which the machine repeats: a run on other endpoints, which are all shifted by a
  /// multiple of it, takes the same times. 0: endpoints have places of their own. Throws as resolve() does.
  virtual int period(const RunSpec&) const { return 0; }
  /// Returns the parameters that the platforms have: groups such as `nvswitch` and `nvswitch.link`, or single ones.
  virtual std::vector<std::string> parameter_prefixes() const { return {name()}; }
  /// Returns the optional abilities (testbench/run/facets).
  virtual FamilyFacets facets() const { return {}; }
};

/// Returns all families of this executable. An executable with families of its own defines this function itself, and may add
/// to product_families(); the definition of the library is not linked then.
const std::vector<const Family*>& families();
const std::vector<const Family*>& product_families();

/// Returns the names of the platforms without their arguments, each once: `dgx2`, `torus`.
std::vector<std::string> platform_kinds(const Family& family);
/// Returns true if the family's platforms have the parameter (Family::parameter_prefixes), or each run has it.
bool has_parameter(const Family& family, const std::string& path);
/// Returns the family of a platform. Throws SetupError, one line with the nearest names.
const Family& family_of(const topology::PlatformDescription& platform);
/// Returns the names of the platforms whose families have a facet, for messages.
std::vector<std::string> platform_kinds_with(const std::function<bool(const FamilyFacets&)>& has);
template <class Facet>
std::vector<std::string> platform_kinds_with(const Facet* FamilyFacets::*facet) {
  return platform_kinds_with([facet](const FamilyFacets& facets) { return facets.*facet != nullptr; });
}

/// Returns the family's placement, or the standard one.
const FamilyPlacement& placement_of(const Family& family);
/// Returns the blocks that a user may replace; empty without the facet.
std::vector<BlockInfo> blocks_of(const Family& family);
/// Returns the notes on a platform in a file; empty on other platforms.
std::vector<std::string> notes_of(const topology::PlatformDescription& platform);

}  // namespace tributary
