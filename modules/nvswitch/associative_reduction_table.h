#pragma once
/// AssociativeReductionTable: the reduction table of Klenk et al., ISCA 2020, section IV, as a module.

#include "modules/nvswitch/core/add_pipeline.h"
#include "modules/nvswitch/core/reduction_table.h"
#include "modules/nvswitch/reduction_table_module.h"

namespace tributary {

/// An access adds no time beyond the operand's flits at line rate.
class AssociativeReductionTable : public ReductionTableModule {
 public:
  AssociativeReductionTable(const sc_core::sc_module_name& name, const ReductionTableConfig& config);

  std::vector<std::string> waiting() const override;
  void reset() override;
  void describe(ProbeDirectory& directory, const std::string& prefix) override;

  ReductionTable core;

 private:
  void b_transport(TableTransaction& t, sc_core::sc_time&) override;
};

/// The table with adders of `add_cycles` clocks (docs/blocks/reduction_table.md#adders).
class PipelinedReductionTable : public AssociativeReductionTable {
 public:
  PipelinedReductionTable(const sc_core::sc_module_name& name, const ReductionTableConfig& config);

  void reset() override;

 private:
  void b_transport(TableTransaction& t, sc_core::sc_time& delay) override;

  AddPipeline pipeline_;
};

}  // namespace tributary
