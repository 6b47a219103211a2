#pragma once
/// RtlCopyEngine: a copy engine in RTL as a module with the sockets of a copy engine.

#include <string>
#include <vector>

#include "modules/rtl/core/copy_engine_beats.h"
#include "modules/streams/copy_engine_module.h"

namespace tributary {

/// CopyEngineBeats has the rules.
class RtlCopyEngine : public CopyEngineModule, private CopyEnginePort {
 public:
  /// Throws std::invalid_argument as CopyEngineBeats does.
  RtlCopyEngine(const sc_core::sc_module_name& name, const RtlBlock& block, const CopyParams& params)
      : CopyEngineModule(name), core(this->name(), block, params.interface_clock().value, *this) {}

  CopyEngineBeats core;

  std::vector<std::string> waiting() const override { return core.waiting(); }
  void reset() override { core.reset(); }
  void describe(ProbeDirectory& directory) override { core.describe(directory, std::string(name()) + "."); }

 private:
  // CopyEngineModule
  bool submit(CopyCommand& command, Tick now) override {
    core.submit(command, now);
    return false;
  }
  void room(const Burst& burst, Tick now) override { core.room(burst.lane, now); }
  void left(const Burst& burst, Tick now) override { core.left(burst.lane, now); }
  // CopyEnginePort
  Tick memory_latency(const CopyCommand& command, Tick now) override { return request(command, now); }
  void send(const Burst& burst, Tick ready) override { CopyEngineModule::send(burst, ready); }
  void done(const CopyCommand& command, Tick when) override { CopyEngineModule::done(command, when); }
};

}  // namespace tributary
