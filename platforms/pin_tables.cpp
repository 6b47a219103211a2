#include "platforms/pin_tables.h"

#include <stdexcept>

#include "modules/base/nearest.h"
#include "modules/netreduce/core/clt_pins.h"
#include "modules/netreduce/core/combinator_pins.h"
#include "modules/netreduce/core/ctt_pins.h"
#include "modules/netreduce/core/payload_buffer_pins.h"
#include "modules/nic/core/reduction_unit_pins.h"
#include "modules/nic/core/schedule_table_pins.h"
#include "modules/nvswitch/core/arbiter_pins.h"
#include "modules/nvswitch/core/reduction_table_pins.h"
#include "modules/streams/core/copy_engine_pins.h"

namespace tributary {

const std::vector<const PinTable*>& pin_tables() {
  static const std::vector<const PinTable*> tables{
      &reduction_table_pins(), &arbiter_pins(),        &combinator_pins(), &payload_buffer_pins(), &clt_pins(), &ctt_pins(),
      &schedule_table_pins(),  &reduction_unit_pins(), &copy_engine_pins()};
  return tables;
}

const PinTable& pin_table(const std::string& block) {
  std::vector<std::string> names;
  for (const PinTable* table : pin_tables()) {
    if (block == table->block) return *table;
    names.emplace_back(table->block);
  }
  throw std::invalid_argument(unknown_name("block with pins", block, names));
}

}  // namespace tributary
