#include "modules/nvswitch/associative_reduction_table.h"

namespace tributary {

template class TableInitiator<TableTransaction>;
template class TableModule<TableTransaction>;

AssociativeReductionTable::AssociativeReductionTable(const sc_core::sc_module_name& name, const ReductionTableConfig& config)
    : ReductionTableModule(name), core(config.bytes, config.timeout, config.rank_order) {}

void AssociativeReductionTable::b_transport(TableTransaction& t, sc_core::sc_time&) { core.access(t); }
std::vector<std::string> AssociativeReductionTable::waiting() const { return core.waiting(); }
void AssociativeReductionTable::reset() { core.reset(); }
void AssociativeReductionTable::describe(ProbeDirectory& directory, const std::string& prefix) {
  core.describe(directory, prefix);
}

PipelinedReductionTable::PipelinedReductionTable(const sc_core::sc_module_name& name, const ReductionTableConfig& config)
    : AssociativeReductionTable(name, config), pipeline_(config.add_cycles, config.line_rate, config.rank_order) {}

void PipelinedReductionTable::b_transport(TableTransaction& t, sc_core::sc_time& delay) {
  pipeline_.ask(t);
  core.access(t);
  delay += sc_core::sc_time::from_value(pipeline_.answer(t));
}

void PipelinedReductionTable::reset() {
  AssociativeReductionTable::reset();
  pipeline_.reset();
}

std::unique_ptr<ReductionTableModule> make_reduction_table(const char* name, const ReductionTableConfig& config) {
  if (config.add_cycles != 0) return std::make_unique<PipelinedReductionTable>(name, config);
  return std::make_unique<AssociativeReductionTable>(name, config);
}

}  // namespace tributary
