#pragma once
/// A machine of NVSwitches whose GPUs carry out streams and channels, and programs written by hand.

#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "modules/link/link_protocol.h"
#include "platforms/nvswitch/automatic.h"
#include "platforms/nvswitch/fabric_manager.h"
#include "testbench/test/harness/small_machine.h"
#include "testbench/test/harness/stream_script.h"

namespace tributary {

struct StreamMachineSpec {
  std::uint64_t memory = 0;  ///< bytes of each GPU, all of them mapped
  NvSwitchPlatformParams params = exact();
  bool with_data = true, windowed = true;
  CopyEngineFactory engine = {};
  bool outside_engines = false;

  /// Reads of 115.2 ns without jitter.
  static NvSwitchPlatformParams exact() {
    NvSwitchPlatformParams p;
    p.gpu.memory.jitter = 0_ns;
    return p;
  }
};

class StreamMachine : private CompletionListener {
 public:
  StreamMachine(const std::string& name, const Machine& machine, const StreamMachineSpec& spec)
      : spec_(spec),
        system(name.c_str(), machine, config(machine, spec), static_cast<CompletionListener&>(*this)),
        fabric(system) {
    for (unsigned g = 0; g < system.gpu_count(); ++g) {
      system.gpu(g).memory().resize(spec.with_data ? spec.memory : 0);
      if (spec.with_data) std::memset(data<std::byte>(g), 0, spec.memory);
    }
    map();
  }
  ~StreamMachine() override { system.reset(); }

  /// Starts all programs simultaneously; returns when each one ended, relative to the start, `never` if it did not.
  std::vector<Tick> run(std::vector<StreamScript> scripts, std::vector<Tick> skew = {}) {
    start(std::move(scripts), std::move(skew));
    sc_core::sc_start();
    return ends();
  }
  /// Posts the programs without simulating.
  void start(std::vector<StreamScript> scripts, std::vector<Tick> skew = {}) {
    ends_.assign(system.gpu_count(), never);
    scripts.resize(system.gpu_count());
    skew.resize(system.gpu_count(), 0);
    t0 = kernel_now() + spec_.params.gpu.doorbell_latency.value;
    system.begin(t0);
    for (unsigned g = 0; g < system.gpu_count(); ++g) post(g, std::move(scripts[g].program), t0 + skew[g]);
  }
  void post(unsigned gpu, StreamProgram program, Tick when) {
    GpuProgram whole;
    whole.streams = StreamWork{std::move(program), {}};
    for (unsigned g = 0; g < system.gpu_count(); ++g)
      if (g != gpu) whole.streams->peers.push_back({static_cast<std::uint16_t>(g), 0, spec_.memory, network_[g]});
    system.gpu(gpu).post(std::move(whole), when);
  }
  std::vector<Tick> ends() const {
    std::vector<Tick> ends = ends_;
    for (Tick& end : ends)
      if (end != never) end -= t0;
    return ends;
  }
  template <class T>
  T* data(unsigned gpu) {
    return reinterpret_cast<T*>(system.gpu(gpu).memory().data());
  }
  /// Resets the machine as a run does between two messages.
  void reset() {
    system.reset();
    fabric.clear();
    map();
  }

 private:
  static NvSwitchPlatform::Config config(const Machine& machine, const StreamMachineSpec& spec) {
    NvSwitchPlatform::Config c;
    c.params = with_automatic_values(spec.params, machine.defaults, {Reduces::in_gpus});
    c.with_data = spec.with_data;
    c.windowed = spec.windowed;
    c.make_copy_engine = spec.engine;
    c.add_stream_engines(spec.outside_engines);
    return c;
  }
  void map() {
    network_.clear();
    for (unsigned g = 0; g < system.gpu_count(); ++g)
      network_.push_back(fabric.unicast_buffer(static_cast<int>(g), 0, spec_.memory));
  }
  void done(unsigned gpu, Tick when) override { ends_.at(gpu) = when; }
  void failed(unsigned, Tick, const std::string& why) override { throw std::logic_error(why); }

  StreamMachineSpec spec_;
  std::vector<Tick> ends_;
  std::vector<std::uint64_t> network_;  // by GPU

 public:
  NvSwitchPlatform system;
  FabricManager fabric;
  Tick t0 = 0;
};

}  // namespace tributary
