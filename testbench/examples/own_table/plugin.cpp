// Plugin for `tributary run --plugin`: installs the table, direct-mapped, at every port of every switch of a machine.
#include "platforms/plugin.h"

#include <cstdlib>

#include "platforms/nvswitch/blocks.h"
#include "set_associative_table.h"

TRIBUTARY_PLUGIN(blocks) {
  blocks.add(tributary::reduction_table_slot, [](const char* name, const tributary::ReductionTableConfig& config) {
    auto table = std::make_unique<SetAssociativeTable>(name, config, 1);
    const char* const leaky = std::getenv("OWN_TABLE_LEAK");  // the port whose table loses an operand
    table->leak = leaky != nullptr && config.port == leaky;
    return table;
  });
}
