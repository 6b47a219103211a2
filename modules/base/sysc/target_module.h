#pragma once
/// TargetModule: what stands behind a socket of a device, and may be swapped there: a table, a unit, a memory.

#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "modules/base/probe.h"

namespace tributary {

/// b_transport does an access at once, adds to the delay what it takes, and never waits. The delay that it is given is the
/// time of the access, counted from the kernel's time: devices run ahead of that. Besides, a run asks the module what it
/// still holds, resets it, and observes its probes.
template <class Protocol = tlm::tlm_base_protocol_types>
class TargetModule : public sc_core::sc_module, protected tlm::tlm_fw_transport_if<Protocol> {
 public:
  using Transaction = typename Protocol::tlm_payload_type;
  using Phase = typename Protocol::tlm_phase_type;
  /// Several initiators may be bound to it: a device, and software that loads a table.
  tlm::tlm_target_socket<32, Protocol, 0, sc_core::SC_ZERO_OR_MORE_BOUND> socket{"socket"};

  explicit TargetModule(const sc_core::sc_module_name& name) : sc_module(name) { socket.bind(*this); }

  /// A line for each thing that it still holds; empty when quiescent.
  virtual std::vector<std::string> waiting() const { return {}; }
  virtual void reset() {}
  /// Probes, by the module's hierarchical name.
  virtual void describe(ProbeDirectory&) {}

 protected:
  tlm::tlm_sync_enum nb_transport_fw(Transaction&, Phase&, sc_core::sc_time&) override {
    SC_REPORT_ERROR("tributary/socket", (std::string(name()) + " is accessed by b_transport").c_str());
    return tlm::TLM_COMPLETED;
  }
  bool get_direct_mem_ptr(Transaction&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(Transaction&) override { return 0; }
};

}  // namespace tributary
