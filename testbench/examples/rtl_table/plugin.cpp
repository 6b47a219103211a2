// Plugin for `tributary run --plugin`: installs the RTL table at every port of every switch of a machine.
#include "platforms/plugin.h"

#include "modules/nvswitch/beat_table_port.h"
#include "platforms/nvswitch/blocks.h"
#include "rtl_table.h"

TRIBUTARY_PLUGIN(blocks) {
  blocks.add(tributary::reduction_table_slot, tributary::behind_beats([](const tributary::ReductionTableConfig&) {
               return std::make_unique<tributary::RtlTable>();
             }));
}
