#pragma once
/// NvSwitchPlatform: the netlist of GPUs and NVSwitches (Klenk et al., ISCA 2020).

#include <map>
#include <memory>
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

class NvSwitchPlatform : public Platform {
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

    /// Adds to every GPU an engine for streams and channels, last in precedence, with the parameters and
    /// `make_copy_engine` set so far. Its copy engines are inside it, or (`outside`) are made and bound by the user.
    /// `channels`: channels at least that a GPU has; 0: those of the release of NCCL.
    Config& add_stream_engines(bool outside = false, unsigned channels = 0);
    /// Adds to every GPU the thread blocks of NVLS, with the parameters set so far.
    Config& add_nvls_engines();
    /// Adds to every GPU a compute engine and the operation queues, which programs with tasks require.
    Config& add_task_engines();
  };

  NvSwitchPlatform(const sc_core::sc_module_name& name, const Machine& machine, const Config& config,
                   CompletionListener& listener);
  ~NvSwitchPlatform() override;

  unsigned endpoints() const override { return gpu_count(); }
  unsigned gpu_count() const { return static_cast<unsigned>(gpus_.size()); }
  Gpu& gpu(unsigned i) { return *gpus_.at(i); }
  const Gpu& gpu(unsigned i) const { return *gpus_.at(i); }
  /// Returns the stream engine of a GPU. Throws std::logic_error if there is none.
  StreamEngine& stream_engine(unsigned gpu);
  unsigned switch_count() const { return static_cast<unsigned>(switches_.size()); }
  NvSwitch& switch_at(unsigned i) { return *switches_.at(i); }
  const Machine& machine() const { return machine_; }
  /// Throws UnfitBlock if a reduction table cannot add these elements.
  void check_tables(ElementType type, ReduceOp op, unsigned operands) const;
  std::byte* memory_of(unsigned gpu) override { return gpus_.at(gpu)->memory().data(); }
  void resize_memory(unsigned gpu, std::uint64_t bytes) override { gpus_.at(gpu)->memory().resize(bytes); }
  std::map<std::string, double> counters() const override;
  Tick longest_silence(std::uint64_t bytes) const override;
  Tick timers_end() const override;

  /// Changes the seed of random latencies, orders and bit errors; the address hash keeps the seed of elaboration.
  void reseed(std::uint64_t seed);

 private:
  void make_gpu(const topology::Node& node, CompletionListener& listener);
  void make_switch(int number, const topology::Node& node);
  void protect_links();
  double stream_silence(std::uint64_t bytes) const;
  double nvls_silence(std::uint64_t bytes) const;

  Machine machine_;
  Config config_;
  topology::Routes routes_;
  AddressMap map_;
  std::vector<Gpu*> gpus_;
  std::vector<NvSwitch*> switches_;
};

}  // namespace tributary
