#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "modules/nvswitch/core/table_rules.h"
#include "modules/nvswitch/reduction_table_module.h"

namespace tributary {

/// Is bound between the table socket of a port and a reduction table, forwards every call, and lists violations of the
/// rules in docs/blocks/reduction_table.md by the port and by the table.
class TableMonitor : public ReductionTableModule {
 public:
  enum class Rule {
    time,     ///< port: times never decrease
    ahead,    ///< port: no call is further ahead of the kernel's time than the switch may run
    service,  ///< port: an operand begins when the previous one has passed, no sooner
    shape,    ///< port: a packet of the right kind with a reference, whole blocks, at least one operand
    finish,   ///< port: once after each completion, when the sum has left: after its operand and the table's latency
    expire,   ///< port: only when the table has requested it
    answer,   ///< table: an answer that is legal for the command, with the required fields
    conserve  ///< table: leaving packets count all operands of their block that entered
  };
  struct Violation {
    Rule rule;
    Tick when;
    std::string text;
  };
  struct Config {
    Tick ahead = never;    ///< Windows::ahead of the switch
    Tick flit_time = 640;  ///< time of a flit on the port's line
  };
  TableMonitor(const sc_core::sc_module_name& name, const Config& config, std::unique_ptr<ReductionTableModule> table);

  /// Call when nothing is in flight: reports the blocks whose operands have not left.
  void finish();
  const std::vector<Violation>& violations() const { return violations_; }
  std::uint64_t calls() const { return calls_; }
  /// The most by which a call was ahead of the kernel's time, and later than it.
  Tick most_ahead() const { return most_ahead_; }
  Tick most_behind() const { return most_behind_; }

  std::vector<std::string> waiting() const override { return table_->waiting(); }
  void reset() override;
  void describe(ProbeDirectory& directory, const std::string& prefix) override { table_->describe(directory, prefix); }

 private:
  void b_transport(TableTransaction& t, sc_core::sc_time& delay) override;
  void check_time(const TableTransaction& t);
  void check_operand(const TableTransaction& t);
  void check_command(const TableTransaction& t);
  void check_finish(const TableTransaction& t);
  void note_leaving(const TableTransaction& t, Tick latency);
  void require(bool holds, Rule rule, Tick when, const std::string& text) {
    if (!holds) violations_.push_back({rule, when, text});
  }

  /// A completed block whose sum has not left.
  struct Leaving {
    std::uint64_t block;
    unsigned requester;
    Tick due;
  };

  Config config_;
  std::unique_ptr<ReductionTableModule> table_;
  ReductionTableSocket out_{"out"};
  std::vector<Violation> violations_;
  TableRules rules_;
  std::uint64_t calls_ = 0;
  Tick last_ = 0, busy_until_ = 0, late_until_ = 0, next_timeout_ = never, most_ahead_ = 0, most_behind_ = 0;
  std::deque<Leaving> leaving_;  // in their order
  std::uint64_t block_ = 0;      // block of the present operand
};

/// Makes equal tables in all ports, each with a monitor that `monitors` collects.
ReductionTableFactory monitored(ReductionTableFactory make, const TableMonitor::Config& config,
                                std::vector<TableMonitor*>& monitors);

/// "time: at 25ns ...", one line per violation; empty if there are none.
std::string to_text(const std::vector<TableMonitor::Violation>& violations);

}  // namespace tributary
