#pragma once
/// ReductionTableBlock: the reduction table of a port as a part that can be swapped.

#include <systemc>
#include <tlm>

#include "modules/nvswitch/core/reduction_table.h"

namespace tributary {

/// b_transport(transaction, delay) does the access at once and adds to `delay` what it takes beyond the operand's flits at
/// line rate (here: nothing). It must not wait.
struct TableProtocol {
  using tlm_payload_type = TableTransaction;
  using tlm_phase_type = tlm::tlm_phase;
};

class ReductionTableBlock : public sc_core::sc_module, private tlm::tlm_fw_transport_if<TableProtocol> {
 public:
  tlm::tlm_target_socket<32, TableProtocol> socket{"socket"};

  ReductionTableBlock(const sc_core::sc_module_name& name, std::uint64_t bytes, Tick timeout, bool rank_order)
      : sc_module(name), core(bytes, timeout, rank_order) {
    socket.bind(*this);
  }

  ReductionTable core;

 private:
  void b_transport(TableTransaction& t, sc_core::sc_time&) override { core.access(t); }
  tlm::tlm_sync_enum nb_transport_fw(TableTransaction&, tlm::tlm_phase&, sc_core::sc_time&) override;
  bool get_direct_mem_ptr(TableTransaction&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(TableTransaction&) override { return 0; }
};

}  // namespace tributary
