#include "modules/nic/reduction_unit.h"

namespace tributary {

void ReductionUnit::b_transport(ReductionOperand& o, sc_core::sc_time& delay) {
  if (o.data != nullptr) return apply(o.op, o.type, o.sum, o.data, o.elements * element_size(o.type));
  const Tick now = (sc_core::sc_time_stamp() + delay).value();
  delay += sc_core::sc_time::from_value(core_.add(now, o.elements) - now);
}

}  // namespace tributary
