#include "modules/rtl/pin_reduction_table.h"

#include "modules/nvswitch/core/reduction_table_pins.h"
#include "modules/rtl/rtl_reduction_table.h"

namespace tributary {

PinReductionTable::PinReductionTable(const sc_core::sc_module_name& name, const PinBlock& block,
                                     const ReductionTableConfig& config)
    : ReductionTableModule(name),
      pins_("unit", reduction_table_pins(), block.rtl.parameters, block.make),
      core_(this->name(), block_of(pins_, block), config.line_rate) {
  require_called_in_thread(this->name(), block, get_parent_object());
  require_order_of_arrival(this->name(), config);
}

void PinReductionTable::b_transport(TableTransaction& t, sc_core::sc_time& delay) {
  if (pins_.connect()) core_.reset();
  delay += sc_core::sc_time::from_value(core_.access(t));
}

void PinReductionTable::reset() {
  pins_.disconnect();
  core_.reset();
}

}  // namespace tributary
