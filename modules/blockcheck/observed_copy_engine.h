#pragma once
/// ObservedCopyEngine: passes the calls between a GPU and its copy engine, and shows them to a monitor and to observers.
/// CopyEngineDriver: passes inputs that are made from values to a copy engine.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "modules/blockcheck/core/observed_block.h"
#include "modules/blockcheck/core/observed_module.h"
#include "modules/blockcheck/core/shadow_pins.h"
#include "modules/streams/copy_engine_module.h"
#include "modules/streams/core/copy_fields.h"
#include "modules/streams/core/copy_monitor.h"

namespace tributary {

/// The sockets at the three sides of an engine, and its calls.
class CopyEngineSide : public sc_core::sc_module,
                       private CopyBackward,
                       private BurstForward,
                       private tlm::tlm_fw_transport_if<> {
 public:
  CopyEngineSide(const sc_core::sc_module_name& name, CopyEngineModule& engine);

  CopyInitiator commands{"commands"};
  BurstTarget wire{"wire"};
  tlm::tlm_target_socket<32> memory{"memory"};

  /// Passes an input to the engine. Returns true if it accepts another copy.
  bool submit(CopyCommand& command, Tick now);
  void burst(const Burst& burst, BurstPhase phase, Tick now);

  // Calls of the engine.
  std::function<Tick(tlm::tlm_generic_payload& access, sc_core::sc_time& delay)> on_memory;
  std::function<void(const Burst& burst, Tick ready)> on_burst;
  std::function<void(CopyCommand& command, Tick when)> on_done;

 private:
  tlm::tlm_sync_enum nb_transport_bw(CopyCommand& command, CopyPhase& phase, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_fw(Burst& burst, BurstPhase& phase, sc_core::sc_time& delay) override;
  void b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) override;
  void b_transport(Burst&, sc_core::sc_time&) override {}
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  bool get_direct_mem_ptr(Burst&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(Burst&) override { return 0; }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

class ObservedCopyEngine : public CopyEngineModule, public ObservedModule {
 public:
  using Monitor = CopyMonitor;

  /// `monitor`: null if the calls are not checked.
  ObservedCopyEngine(const sc_core::sc_module_name& name, std::unique_ptr<CopyEngineModule> engine, BlockObservers observers,
                     std::shared_ptr<Monitor> monitor = nullptr);

  std::vector<std::string> waiting() const override { return engine_->waiting(); }
  void reset() override;
  void describe(ProbeDirectory& directory) override {
    engine_->describe(directory);
    observed_.describe(directory);
  }

 private:
  bool submit(CopyCommand& command, Tick now) override;
  void room(const Burst& burst, Tick now) override;
  void left(const Burst& burst, Tick now) override;
  /// Inputs may be nested: a GPU may answer a call of the engine with the next input. They are shown in their order, when
  /// the outermost one has ended.
  std::size_t begin(CopyInput input);
  void end();
  void note(CopyCall call) {
    if (!open_.empty()) inputs_[open_.back()].calls.push_back(std::move(call));
  }

  std::unique_ptr<CopyEngineModule> engine_;
  CopyEngineSide side_;
  CopyFields fields_;
  ObservedBlock observed_;
  std::shared_ptr<Monitor> monitor_;
  std::vector<CopyInput> inputs_;  // from the outermost one that has not ended
  std::vector<std::size_t> open_;  // not ended, the innermost one last
};

/// The parent of the engine that it drives. The memory has the latencies of the engine that was observed.
class CopyEngineDriver : public sc_core::sc_module, public BlockDriver {
 public:
  using Make = std::function<std::unique_ptr<CopyEngineModule>(const char* name)>;

  CopyEngineDriver(const sc_core::sc_module_name& name, const Make& make);

  void access(const BlockAccess& asked, BlockAccess& got) override;
  void reset() override;
  void describe(ProbeDirectory& directory) override;

 private:
  struct Copy {
    CopyCommand command;
    std::vector<bool> left;  // by lane
  };
  void pass(CopyInput& input);
  Copy& open_copy(const CopyInput& input);

  std::unique_ptr<CopyEngineModule> engine_;
  CopyEngineSide side_;
  CopyFields fields_;
  FieldValues values_;
  CopyInput input_;
  std::vector<Tick> latencies_;
  std::size_t next_latency_ = 0;
  std::map<std::uint32_t, Copy> copies_;
  std::vector<std::uint32_t> done_;
  bool accepts_ = true;
};

}  // namespace tributary
