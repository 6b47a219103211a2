#pragma once
/// SimulatedMachine: a platform by name, on which an sc_main posts collectives by name (docs/library.md).

#include <memory>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "platforms/block_factories.h"
#include "platforms/platform.h"
#include "testbench/by_name/post_options.h"
#include "testbench/by_name/posted.h"
#include "testbench/run/parameters.h"

namespace tributary {

class MachineRounds;

/// Platforms, collectives, algorithms, parameters and blocks are those of `tributary list`. Errors in names and values are
/// exceptions derived from std::exception with one line of text.
///
/// Settings precede the first collective. The machine is elaborated for the collectives that are posted before sc_start():
/// automatic parameters follow from them, as in `tributary run`. A later collective that needs another machine is refused.
///
/// Collectives on disjoint ranks run at once, as concurrent jobs of `tributary run`. A collective whose rank still has an
/// earlier collective waits until the machine is at rest and has been reset. So each runs as it would run alone.
class SimulatedMachine {
 public:
  /// Returns the names of all platforms without their arguments: `dgx2`, `rack` ...
  static std::vector<std::string> platforms();

  /// `platform`: `dgx2`, `rack:6`, `file:FILE` ...
  explicit SimulatedMachine(const std::string& platform);
  ~SimulatedMachine();
  SimulatedMachine(const SimulatedMachine&) = delete;
  SimulatedMachine& operator=(const SimulatedMachine&) = delete;

  // Settings. They throw std::logic_error once a collective has been posted.

  /// Sets one parameter by `PATH=VALUE`, as `--set` does.
  SimulatedMachine& set(const std::string& assignment);
  /// Returns the parameters of a family, to be changed: NvSwitchPlatformParams, NetworkParams, NetReducePlatformParams ...
  template <class Params>
  Params& parameters() {
    return settings().of<Params>();
  }
  /// Returns the factories of the user's own blocks (the slots of platforms/FAMILY/blocks.h).
  BlockFactories& blocks();
  /// Adds the blocks of a shared library, as `--plugin` does.
  SimulatedMachine& load_plugin(const std::string& plugin);
  /// Adds a fault of a link, as `--fault` does.
  SimulatedMachine& add_fault(const std::string& fault);
  SimulatedMachine& set_seed(std::uint64_t seed);
  enum class Data { exact, random, none };
  /// Selects the values of generated data; default `exact`. With `none`, endpoints have no memory and nothing is checked.
  SimulatedMachine& set_data(Data data);
  /// Wakes each device once per event time instead of once per window. Results are the same.
  SimulatedMachine& use_event_mode();

  // Collectives.

  /// Posts a collective, before sc_start() or at any simulated time: from sc_main, or from a process. Throws if a name is
  /// unknown or the machine cannot run the algorithm. `algorithm` may be `msccl:FILE`.
  Posted post(const std::string& collective, const std::string& algorithm, Bytes message, const PostOptions& options = {});

  // The machine.

  /// Returns the platform. The first call elaborates it, for the collectives that are posted so far; else sc_start() does.
  Platform& platform();
  /// Returns the probes of the platform by name; elaborates it as platform() does.
  ProbeDirectory& probes();
  /// Returns everything that waits, by hierarchical name; empty if the machine is at rest.
  std::vector<std::string> waiting() const;
  /// Returns the notes on choices that the user may not expect, such as an algorithm replaced by its fallback.
  const std::vector<std::string>& notes() const;

 private:
  RunParameters& settings();

  std::unique_ptr<MachineRounds> rounds_;
};

}  // namespace tributary
