#pragma once
/// CopyEngine: a copy engine as a module with three sockets (Wang et al., MLSys 2020, 4).

#include <string>
#include <vector>

#include "modules/streams/copy_engine_module.h"
#include "modules/streams/core/copy_engine_core.h"

namespace tributary {

/// CopyEngineCore has the rules.
class CopyEngine : public CopyEngineModule, private CopyEnginePort {
 public:
  /// An engine without limits.
  CopyEngine(const sc_core::sc_module_name& name, Tick launch) : CopyEngineModule(name), core_(launch, *this) {}
  CopyEngine(const sc_core::sc_module_name& name, const CopyParams& params)
      : CopyEngineModule(name),
        core_({params.launch.value, params.rate.value, params.window.value, params.clock.value}, *this) {}

  std::vector<std::string> waiting() const override { return core_.waiting(); }
  void reset() override { core_.reset(); }
  void describe(ProbeDirectory& directory) override { core_.describe(directory, std::string(name()) + "."); }

 private:
  // CopyEngineModule
  bool submit(CopyCommand& command, Tick now) override {
    core_.submit(command, now);
    return false;
  }
  void room(const Burst& burst, Tick now) override { core_.room(burst.lane, now); }
  void left(const Burst& burst, Tick now) override { core_.left(burst.lane, now); }
  bool accepts_late_data() const override { return true; }
  void late_data(const CopyCommand&, Tick latency) override { core_.late_data(latency); }
  // CopyEnginePort
  Tick memory_latency(const CopyCommand& command, Tick now) override { return request(command, now); }
  void send(const Burst& burst, Tick ready) override { CopyEngineModule::send(burst, ready); }
  void done(const CopyCommand& command, Tick when) override { CopyEngineModule::done(command, when); }

  CopyEngineCore core_;
};

}  // namespace tributary
