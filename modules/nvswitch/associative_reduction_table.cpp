#include "modules/nvswitch/associative_reduction_table.h"

namespace tributary {

std::unique_ptr<ReductionTableModule> make_reduction_table(const char* name, const ReductionTableConfig& config) {
  return std::make_unique<AssociativeReductionTable>(name, config);
}

}  // namespace tributary
