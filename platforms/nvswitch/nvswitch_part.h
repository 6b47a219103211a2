#pragma once
/// NvSwitchPart: GPUs and NVSwitches of a platform (Klenk et al., ISCA 2020): its devices, their counters and times.

#include <map>
#include <string>
#include <vector>

#include "modules/gpu/gpu.h"
#include "modules/nvswitch/nvswitch.h"
#include "modules/streams/copy_engine_module.h"
#include "platforms/link_fault.h"
#include "platforms/nvswitch/machine.h"
#include "platforms/nvswitch/platform_params.h"
#include "platforms/platform.h"
#include "platforms/topology/routes.h"

namespace tributary {

class StreamEngine;

/// The islands of the part are equal. GPUs and switches are numbered through all islands.
class NvSwitchPart {
 public:
  struct Config {
    NvSwitchPlatformParams params;  ///< without automatic values
    std::uint64_t seed = 1;
    bool with_data = true;
    bool windowed = true;          ///< false: reference mode, one wake-up per event time
    bool external_memory = false;  ///< every GPU's memory_socket is bound by the user
    std::vector<LinkFault> faults = {};
    /// Wave counters by GPU that override those of `params`.
    std::map<unsigned, std::uint32_t> wave_counters = {};
    ReductionTableFactory make_table = make_reduction_table;  ///< for every port of every switch
    NvSwitchPortFactory make_port = make_nvswitch_port;
    GpuParts gpu_parts = {};                   ///< factories of every GPU's engines and memory
    CopyEngineFactory make_copy_engine = {};   ///< for every GPU; empty: the default; used by GPUs with stream engines
    bool stream_engines = false;               ///< set by add_stream_engines()
    CrossbarArbiterFactory make_arbiter = {};  ///< for every switch; empty: round robin
    SwitchRouterFactory make_router = {};      ///< for every switch; empty: the trunk that the address selects
    bool nvls = false;                         ///< set by add_nvls_engines()
    unsigned lanes = 1;                        ///< threads that run the platform, at most

    /// Adds to every GPU an engine for streams and channels, last in precedence, with the parameters and
    /// `make_copy_engine` set so far. Its copy engines are inside it, or (`outside`) are made and bound by the user.
    /// `channels`: channels at least that a GPU has; 0: those of the release of NCCL.
    Config& add_stream_engines(bool outside = false, unsigned channels = 0);
    /// Adds to every GPU the thread blocks of NVLS, with the parameters set so far.
    Config& add_nvls_engines();
    /// Adds to every GPU a compute engine and the operation queues, which programs with tasks require.
    Config& add_task_engines();
  };

  /// Returns the times of the part's windows.
  static PartTiming timing(const NvSwitchPlatformParams& params);

  /// Makes the devices of `nodes`, which are GPUs and switches of the platform's graph. `machine`: the machine of an island.
  NvSwitchPart(const Machine& machine, const Config& config, const PartDevices& devices, const std::vector<int>& nodes,
               CompletionListener& listener);
  NvSwitchPart(const NvSwitchPart&) = delete;
  NvSwitchPart& operator=(const NvSwitchPart&) = delete;
  /// Protects links that can fail, once the platform is wired.
  void protect_links(const std::vector<DirectedLink>& links) const;

  unsigned gpu_count() const { return static_cast<unsigned>(gpus_.size()); }
  Gpu& gpu(unsigned i) { return *gpus_.at(i); }
  const Gpu& gpu(unsigned i) const { return *gpus_.at(i); }
  /// Returns the stream engine of a GPU. Throws std::logic_error if there is none.
  StreamEngine& stream_engine(unsigned gpu);
  unsigned switch_count() const { return static_cast<unsigned>(switches_.size()); }
  NvSwitch& switch_at(unsigned i) { return *switches_.at(i); }
  const Machine& machine() const { return machine_; }
  unsigned islands() const { return static_cast<unsigned>(routes_.size()); }
  int island_of_gpu(unsigned gpu) const { return island_of_gpu_.at(gpu); }
  int island_of_switch(unsigned i) const { return island_of_switch_.at(i); }
  /// Throws UnfitBlock if a reduction table cannot add these elements.
  void check_tables(ElementType type, ReduceOp op, unsigned operands) const;
  /// Add up or compute the part's share of Platform::counters(), longest_silence() and timers_end().
  void count(std::map<std::string, double>& all) const;
  double longest_silence(std::uint64_t bytes) const;
  Tick timers_end() const;
  /// Changes the seed of random latencies and orders; the address hash keeps the seed of elaboration.
  void reseed(std::uint64_t seed);

 private:
  void make_gpu(int number, const PartDevices& devices, CompletionListener& listener);
  void make_switch(int number, const PartDevices& devices);
  double stream_silence(std::uint64_t bytes) const;
  double nvls_silence(std::uint64_t bytes) const;

  Machine machine_;
  Config config_;
  std::map<int, topology::Routes> routes_;  ///< by island
  AddressMap map_;
  unsigned diameter_ = 0;
  std::vector<Gpu*> gpus_;
  std::vector<NvSwitch*> switches_;
  std::vector<int> island_of_gpu_, island_of_switch_;
};

}  // namespace tributary
