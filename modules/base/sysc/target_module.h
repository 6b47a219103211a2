#pragma once
/// TargetModule: base of a replaceable module connected to a device's socket: a table, a unit, a memory.

#include <stdexcept>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "modules/base/probe.h"
#include "modules/base/sysc/time_resolution.h"

namespace tributary {

/// b_transport answers an access immediately, adds the latency of its answer to the delay, and never waits. The time until
/// it accepts the next request, beyond the nominal interval of the device, is Timing::interval of the transaction, or
/// RequestInterval of generic payload. The delay passed in is the time of the access relative to kernel time, as devices run
/// ahead of the kernel. A run also asks the module for pending entries, resets it, and observes its probes.
template <class Protocol = tlm::tlm_base_protocol_types>
class TargetModule : public sc_core::sc_module, protected tlm::tlm_fw_transport_if<Protocol> {
 public:
  using Transaction = typename Protocol::tlm_payload_type;
  using Phase = typename Protocol::tlm_phase_type;
  /// Accepts several initiators: a device, and software that loads a table.
  tlm::tlm_target_socket<32, Protocol, 0, sc_core::SC_ZERO_OR_MORE_BOUND> socket{"socket"};

  explicit TargetModule(const sc_core::sc_module_name& name) : sc_module(name) {
    require_picoseconds();
    socket.bind(*this);
  }

  /// Returns a line for each pending entry; empty if quiescent.
  virtual std::vector<std::string> waiting() const { return {}; }
  virtual void reset() {}
  /// Adds the probes, under the module's hierarchical name.
  virtual void describe(ProbeDirectory&) {}

 protected:
  tlm::tlm_sync_enum nb_transport_fw(Transaction&, Phase&, sc_core::sc_time&) override {
    throw std::logic_error(std::string(name()) + " accepts b_transport only");
  }
  bool get_direct_mem_ptr(Transaction&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(Transaction&) override { return 0; }
};

// Instantiated once, in memory_module.cpp: sockets are dear to compile.
extern template class TargetModule<>;

}  // namespace tributary
