#pragma once

#include <list>
#include <string>
#include <vector>

#include "modules/nvswitch/core/table_probes.h"
#include "modules/nvswitch/reduction_table_module.h"

namespace tributary {

struct OwnTableFaults {
  unsigned leak = ~0u;  ///< number of the lost operand
  bool silent = false;  ///< waiting() names none of its entries
  Tick latency = 0;     ///< latency of packets that leave
};

/// A reduction table as a user might write one: a list of entries in the order of their last use. It supports push
/// only.
class OwnTable : public ReductionTableModule, private TableProbes {
 public:
  OwnTable(const sc_core::sc_module_name& name, const ReductionTableConfig& config, OwnTableFaults faults)
      : ReductionTableModule(name), config_(config), faults_(faults) {}
  ~OwnTable() override { reset(); }

  std::vector<std::string> waiting() const override;
  void reset() override;
  void describe(ProbeDirectory& directory, const std::string& prefix) override {
    TableProbes::describe(directory, prefix, 0);
  }
  unsigned resets() const { return resets_; }

 private:
  struct Entry {
    Packet* sum;
    unsigned count, expected;
    Tick stamp;
  };
  void b_transport(TableTransaction& t, sc_core::sc_time& delay) override;
  void push(TableTransaction& t);
  void insert(TableTransaction& t);
  void merge(TableTransaction& t, std::list<Entry>::iterator e);
  void give(TableTransaction& t, Packet*& to, std::list<Entry>::iterator e);

  ReductionTableConfig config_;
  OwnTableFaults faults_;
  std::list<Entry> entries_;  // least recently used first
  unsigned completing_ = 0;
  unsigned operands_ = 0, resets_ = 0;
};

}  // namespace tributary
