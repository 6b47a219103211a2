#pragma once
/// What a shared library of an architect's own blocks holds, for `tributary run --plugin` (docs/plugins.md).

#include "platforms/block_factories.h"

/// The version of this project: a library that was built against another one is refused.
#define TRIBUTARY_PLUGIN_TAG "tributary 0.1.0, plugin 1"

namespace tributary {

/// What the library's one entry returns.
struct Plugin {
  const char* tag;
  void (*add_blocks)(BlockFactories& blocks);
};
/// The entry: `tributary_plugin`, with C linkage.
using PluginEntry = const Plugin* (*)();

}  // namespace tributary

/// Stands once in the library: TRIBUTARY_PLUGIN(blocks) { blocks.add(slot, factory); }
#define TRIBUTARY_PLUGIN(blocks)                                                          \
  static void tributary_add_blocks(tributary::BlockFactories& blocks);                    \
  extern "C" [[gnu::visibility("default")]] const tributary::Plugin* tributary_plugin() { \
    static const tributary::Plugin plugin{TRIBUTARY_PLUGIN_TAG, tributary_add_blocks};    \
    return &plugin;                                                                       \
  }                                                                                       \
  static void tributary_add_blocks([[maybe_unused]] tributary::BlockFactories& blocks)
