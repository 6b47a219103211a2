#pragma once
/// MonitoredTable: is bound between the table socket of a port and a reduction table, forwards every call, and collects the
/// breaches of both sides.

#include <memory>
#include <string>
#include <vector>

#include "modules/nvswitch/core/table_monitor.h"
#include "modules/nvswitch/reduction_table_module.h"

namespace tributary {

class MonitoredTable : public ReductionTableModule {
 public:
  MonitoredTable(const sc_core::sc_module_name& name, const ReductionTableConfig& config,
                 std::unique_ptr<ReductionTableModule> table);

  /// Call when nothing is in flight: reports the blocks whose operands have not left.
  void finish();
  /// Breaches in the order of their requests.
  const std::vector<BlockBreach>& breaches() const { return breaches_; }
  std::uint64_t calls() const { return calls_; }
  /// The most by which a call was ahead of the kernel's time, and later than it.
  Tick most_ahead() const { return most_ahead_; }
  Tick most_behind() const { return most_behind_; }

  std::vector<std::string> waiting() const override { return table_->waiting(); }
  void reset() override;
  void describe(ProbeDirectory& directory, const std::string& prefix) override { table_->describe(directory, prefix); }

 private:
  void b_transport(TableTransaction& t, sc_core::sc_time& delay) override;

  TableMonitor monitor_;
  std::unique_ptr<ReductionTableModule> table_;
  ReductionTableSocket out_{"out"};
  std::vector<BlockBreach> breaches_;
  std::uint64_t calls_ = 0;
  Tick most_ahead_ = 0, most_behind_ = 0;
};

/// Makes equal tables in all ports, each with a monitor that `tables` collects.
ReductionTableFactory monitored(ReductionTableFactory make, std::vector<MonitoredTable*>& tables);

/// Ends the monitors, and returns a line for each breach; empty if there are none.
std::string all_breaches(const std::vector<MonitoredTable*>& tables);

}  // namespace tributary
