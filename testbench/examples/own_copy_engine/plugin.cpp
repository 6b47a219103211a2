// Plugin for `tributary run --plugin`: installs the engine as every copy engine of every GPU of a server of V100.
#include "platforms/plugin.h"

#include "half_rate_engine.h"
#include "platforms/blink/blocks.h"

TRIBUTARY_PLUGIN(blocks) {
  blocks.add(tributary::stream_copy_engine_slot, [](const char* name, const tributary::CopyParams& params) {
    return std::make_unique<HalfRateEngine>(name, params.launch.value, 640);
  });
}
