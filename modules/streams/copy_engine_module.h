#pragma once
/// CopyEngineModule: the sockets of a copy engine. Base of the model's own, and of a user's.

#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "modules/base/probe.h"
#include "modules/base/units.h"
#include "modules/streams/burst_protocol.h"
#include "modules/streams/copy_protocol.h"
#include "modules/streams/stream_params.h"

namespace tributary {

/// Has no process: it is called with exact times at or ahead of the kernel's, and answers with such times, without waiting.
class CopyEngineModule : public sc_core::sc_module,
                         protected CopyForward,
                         protected BurstBackward,
                         protected tlm::tlm_bw_transport_if<> {
 public:
  CopyTarget commands{"commands"};
  tlm::tlm_initiator_socket<32> memory{"memory"};
  BurstInitiator wire{"wire"};

  explicit CopyEngineModule(const sc_core::sc_module_name& name);

  /// One line for each copy that it holds; empty when quiescent.
  virtual std::vector<std::string> waiting() const { return {}; }
  virtual void reset() {}
  /// Probes, by the module's hierarchical name.
  virtual void describe(ProbeDirectory&) {}

 protected:
  /// A copy is granted at `now`; the command stands until done(). True: the engine takes another one at once.
  virtual bool submit(CopyCommand& command, Tick now) = 0;
  /// That burst has begun to leave at `now`: there is room for another of its lane.
  virtual void room(const Burst& burst, Tick now) = 0;
  /// The last flit of a lane's last burst has left at `now`.
  virtual void left(const Burst& burst, Tick now) = 0;

  /// What the memory adds between the request of a copy's data at `now` and the first of them.
  Tick request(const CopyCommand& command, Tick now);
  void send(const Burst& burst, Tick ready);
  void done(const CopyCommand& command, Tick when);

 private:
  tlm::tlm_sync_enum nb_transport_fw(CopyCommand& command, CopyPhase& phase, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_bw(Burst& burst, BurstPhase& phase, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  void b_transport(CopyCommand&, sc_core::sc_time&) override;
  bool get_direct_mem_ptr(CopyCommand&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(CopyCommand&) override { return 0; }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  tlm::tlm_generic_payload access_;
};

/// Makes a copy engine of a GPU; `name` is the module's in its GPU.
using CopyEngineFactory = std::function<std::unique_ptr<CopyEngineModule>(const char* name, const CopyParams& params)>;

}  // namespace tributary
