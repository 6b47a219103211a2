#include "modules/nic/reduction_unit.h"

namespace tributary {

void ReductionUnit::b_transport(ReductionOperand& o, sc_core::sc_time& delay) {
  if (o.data != nullptr) return apply(o.op, o.type, o.sum, o.data, o.elements * element_size(o.type));
  delay += sc_core::sc_time::from_value(latency_.value);
}

}  // namespace tributary
