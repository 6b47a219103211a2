#pragma once
/// TableMonitor: rules between a port and its reduction table (docs/blocks/reduction_table.md), for both sides.

#include <cstdint>
#include <deque>
#include <string>

#include "modules/base/block_monitor.h"
#include "modules/nvswitch/core/table_rules.h"

namespace tributary {

/// Rules of the table: those of TableRules, and `time`, `latency`, `end`. Rules of the port, with its name: `time`,
/// `service`, `shape`, `finish`, `expire`.
class TableMonitor : public TransactionMonitor<TableTransaction> {
 public:
  /// Reads `line_rate` and `rank_order` of the configuration.
  explicit TableMonitor(Setup setup);

  void ask(const TableTransaction& t, Tick now) override;
  void check(const TableTransaction& t, Tick interval, Tick latency) override;
  void reset() override;
  void end(Tick now, bool complete) override;

 private:
  /// A completed block whose sum has not left.
  struct Leaving {
    std::uint64_t block;
    unsigned requester;
    Tick due;
  };
  /// The request, which a table may change.
  struct Asked {
    TableTransaction::Command command = TableTransaction::Command::push;
    std::uint64_t block = 0;
    unsigned requester = 0, expected = 0, operands = 0, source = 0;
    Tick passed = 0;  // the operand has passed at line rate
  };
  std::string request() const override;
  void check_command(const TableTransaction& t) const;
  void check_operand(const TableTransaction& t) const;
  void check_finish(const TableTransaction& t);
  void check_full(const TableTransaction& t) const;
  void check_timeout(const TableTransaction& t);
  void note_leaving(const TableTransaction& t, Tick latency);
  Tick line_time(unsigned flits) const;

  std::uint64_t line_rate_;  // bytes per second; 0: unknown
  bool rank_order_;
  TableRules rules_;
  Asked asked_;
  Tick last_ = 0, busy_until_ = 0, late_until_ = 0, next_timeout_ = never;
  std::deque<Leaving> leaving_;  // in the order of their completion
  bool defers_ = false;          // the table answers later: `due` is the earliest time
};

}  // namespace tributary
