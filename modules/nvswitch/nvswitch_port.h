#pragma once
/// NvSwitchPort: a port of an NVSwitch, with its link and the socket of its reduction table between crossbar and egress.
/// The answers of a user's table are checked: a wrong one ends the run with the name of the port and the rule.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "modules/link/nvlink_port.h"
#include "modules/nvswitch/core/nv_forwarding.h"
#include "modules/nvswitch/core/table_rules.h"
#include "modules/nvswitch/core/table_view.h"
#include "modules/nvswitch/reduction_table_module.h"

namespace tributary {

class NvSwitchPort : public sc_core::sc_module, public TableAccess {
 public:
  struct Config {
    NvLinkTransmitter::Config link;
    ReductionTableConfig table;  ///< without the port's name
    ReductionTableFactory make_table = make_reduction_table;
  };
  /// `now`: kernel time while the switch runs.
  NvSwitchPort(const sc_core::sc_module_name& name, LinkPortListener& listener, const Tick& now, unsigned index,
               const Config& config);

  NvLinkPort link;
  ReductionTableSocket table_socket{"table_socket"};

  /// Sends one transaction over the socket; returns the latency of what leaves, in ps.
  Tick access(TableTransaction& t) override;
  LateAnswers* late_answers(AnswerListener& listener) override;
  /// The device of the port, for a table that answers later. Call during construction.
  void set_host(AnswerHost& host) {
    if (late_) late_->set_host(host);
  }
  /// Throws UnfitBlock if the table cannot add these elements.
  void check_table(ElementType type, ReduceOp op, unsigned operands) const;
  /// Returns the lines of the table, and the operands that it has not returned and names in no line, by block.
  virtual std::vector<std::string> waiting() const;
  /// Resets the port and the module bound to the socket.
  virtual void reset();
  /// Adds probes. A table bound by the user adds its probes once the simulation has started, a table from a factory
  /// immediately.
  virtual void describe(ProbeDirectory& directory);

 private:
  void offer_late_answer(TableTransaction& t);
  Tick answers_later(const TableTransaction& t);
  std::vector<std::string> lost(const std::vector<std::string>& named) const;
  TableForward<TableTransaction>* table() const { return table_ != nullptr ? table_.get() : table_socket.table(); }

  std::unique_ptr<ReductionTableModule> table_;  // null: bound by the user
  std::optional<TableRules> rules_;              // for every table but ours, as is view_
  std::optional<TableView> view_;
  std::optional<LateAnswers> late_;  // for every table but ours
  AnswerListener* listener_ = nullptr;
  LateAnswer offered_;
  std::uint64_t held_ = 0;  // operands held by the table
  struct {
    Tick until = 0;
    std::uint64_t block = 0;
  } served_;  // the last operand whose service the table has lengthened
  SignalProbe blocks_, held_probe_;
};

/// Creates port `index` of a switch, as its child.
using NvSwitchPortFactory = std::function<std::unique_ptr<NvSwitchPort>(
    const char* name, LinkPortListener& listener, const Tick& now, unsigned index, const NvSwitchPort::Config& config)>;

std::unique_ptr<NvSwitchPort> make_nvswitch_port(const char* name, LinkPortListener& listener, const Tick& now,
                                                 unsigned index, const NvSwitchPort::Config& config);

}  // namespace tributary
