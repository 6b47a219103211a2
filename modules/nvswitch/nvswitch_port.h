#pragma once
/// NvSwitchPort: the port of an NVSwitch: its link, and the socket of its reduction table between crossbar and egress.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "modules/link/nvlink_port.h"
#include "modules/nvswitch/core/nv_forwarding.h"
#include "modules/nvswitch/reduction_table_module.h"

namespace tributary {

class NvSwitchPort : public sc_core::sc_module, public TableAccess {
 public:
  struct Config {
    NvLinkTransmitter::Config link;
    ReductionTableConfig table;  ///< without the port's name
    ReductionTableFactory make_table = make_reduction_table;
  };
  /// `now`: the kernel's time while the switch runs.
  NvSwitchPort(const sc_core::sc_module_name& name, LinkPortListener& listener, const Tick& now, unsigned index,
               const Config& config);

  NvLinkPort link;
  ReductionTableSocket table_socket{"table_socket"};

  /// One transaction over the socket; returns what it adds to the operand's service (ps).
  Tick access(TableTransaction& t) override;
  /// What the table holds: its own lines, or, of a table that names no entry, the operands that it has not given back.
  virtual std::vector<std::string> waiting() const;
  /// Resets what is bound to the socket, too.
  virtual void reset();
  /// A table that the user has bound shows its probes once the simulation has started; one from a factory at once.
  virtual void describe(ProbeDirectory& directory);

 private:
  TableForward<TableTransaction>* table() const { return table_ != nullptr ? table_.get() : table_socket.table(); }

  std::unique_ptr<ReductionTableModule> table_;  // null: bound by the user
  // Operands that have gone in and not come out, and the sum of their block numbers: of a single one, its block.
  std::uint64_t held_ = 0, held_blocks_ = 0;
  SignalProbe blocks_, held_probe_;
};

/// Makes port `index` of a switch, as its child.
using NvSwitchPortFactory = std::function<std::unique_ptr<NvSwitchPort>(
    const char* name, LinkPortListener& listener, const Tick& now, unsigned index, const NvSwitchPort::Config& config)>;

std::unique_ptr<NvSwitchPort> make_nvswitch_port(const char* name, LinkPortListener& listener, const Tick& now,
                                                 unsigned index, const NvSwitchPort::Config& config);

}  // namespace tributary
