#pragma once
/// CopyEngineModule: the sockets of a copy engine. It is the base of CopyEngine and of copy engines that a user writes.

#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "modules/base/probe.h"
#include "modules/base/sysc/payload_access.h"
#include "modules/base/units.h"
#include "modules/streams/burst_protocol.h"
#include "modules/streams/copy_protocol.h"
#include "modules/streams/stream_params.h"

namespace tributary {

/// The module has no process. Its functions are called with exact times at or after the time of the SystemC kernel. It
/// answers with such times and never waits.
class CopyEngineModule : public sc_core::sc_module,
                         protected CopyForward,
                         protected BurstBackward,
                         protected tlm::tlm_bw_transport_if<>,
                         private AnswerListener {
 public:
  CopyTarget commands{"commands"};
  tlm::tlm_initiator_socket<32> memory{"memory"};
  BurstInitiator wire{"wire"};

  explicit CopyEngineModule(const sc_core::sc_module_name& name);

  /// Returns one line for each copy in the engine; empty when quiescent.
  virtual std::vector<std::string> waiting() const { return {}; }
  virtual void reset() {}
  /// Resets the engine, and forgets the requests to the memory.
  void restart();
  /// Adds the probes under the module's hierarchical name.
  virtual void describe(ProbeDirectory&) {}
  /// Lets the memory answer requests later, if the engine accepts that. Call it during construction.
  void offer(LateAnswers& answers) {
    if (!accepts_late_data()) return;
    late_ = &answers;
    access_.offer(answers);
  }

 protected:
  /// Starts a copy that is granted at `now`. The command stays valid until done(). Returns true if the engine accepts
  /// another copy immediately.
  virtual bool submit(CopyCommand& command, Tick now) = 0;
  /// The burst begins to leave at `now`: there is room for another burst of its lane.
  virtual void room(const Burst& burst, Tick now) = 0;
  /// The last flit of the last burst of a lane leaves at `now`.
  virtual void left(const Burst& burst, Tick now) = 0;

  /// True if request() may return `never`.
  virtual bool accepts_late_data() const { return false; }
  /// The memory has answered a request for which request() returned `never`: it returns `latency` now. The answer is known
  /// before the data arrive.
  virtual void late_data(const CopyCommand& /*command*/, Tick /*latency*/) {}

  /// Requests the data of a copy at `now`, and returns the time until the first data, or `never` if that is not known. The
  /// memory accepts the request when the interval of the request before is over, and answers requests in order.
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
  void answered(Ticket ticket, Tick when) override;

  struct Request {
    Ticket ticket;
    const CopyCommand* command;
    Tick now;
  };
  LateAnswers* late_ = nullptr;
  std::vector<Request> requests_;  // that are answered later
  PayloadAccess access_{"memory"};
  Tick memory_free_at_ = 0, first_data_ = 0;  // latest request: the next is accepted; first data arrive
};

/// Makes a copy engine of a GPU. `name` is the name of the module in its GPU.
using CopyEngineFactory = std::function<std::unique_ptr<CopyEngineModule>(const char* name, const CopyParams& params)>;

}  // namespace tributary
