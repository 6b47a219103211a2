#pragma once

#include "modules/nvswitch/associative_reduction_table.h"

namespace tributary {

/// Our table, as a user might derive from it, with latency or occupancy added to every operand.
class LateTable : public AssociativeReductionTable {
 public:
  struct Added {
    Tick latency = 0, interval = 0;
  };
  LateTable(const char* name, const ReductionTableConfig& config, Added added)
      : AssociativeReductionTable(name, config), added_(added) {}

 private:
  void b_transport(TableTransaction& t, sc_core::sc_time& delay) override {
    core.access(t);
    if (t.command != TableTransaction::Command::push && t.command != TableTransaction::Command::collect) return;
    delay += sc_core::sc_time::from_value(added_.latency);
    t.timing.interval += added_.interval;
  }

  Added added_;
};

inline ReductionTableFactory late_tables(LateTable::Added added) {
  return [added](const char* name, const ReductionTableConfig& config) {
    return std::make_unique<LateTable>(name, config, added);
  };
}

}  // namespace tributary
