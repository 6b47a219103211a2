#pragma once
/// Plugin: the contents of a shared library of user-defined blocks for `tributary run --plugin` (docs/plugins.md).

#include "platforms/block_factories.h"

/// Version of this project and of the interface of its blocks. A library built against another one is refused.
#define TRIBUTARY_PLUGIN_TAG "tributary 0.2.0, plugin 2"

namespace tributary {

/// Returned by the library's only entry point.
struct Plugin {
  const char* tag;
  void (*add_blocks)(BlockFactories& blocks);
};
/// Type of the entry point `tributary_plugin`, which has C linkage.
using PluginEntry = const Plugin* (*)();

}  // namespace tributary

/// Defines the entry point; use it once per library: TRIBUTARY_PLUGIN(blocks) { blocks.add(slot, factory); }
#define TRIBUTARY_PLUGIN(blocks)                                                          \
  static void tributary_add_blocks(tributary::BlockFactories& blocks);                    \
  extern "C" [[gnu::visibility("default")]] const tributary::Plugin* tributary_plugin() { \
    static const tributary::Plugin plugin{TRIBUTARY_PLUGIN_TAG, tributary_add_blocks};    \
    return &plugin;                                                                       \
  }                                                                                       \
  static void tributary_add_blocks([[maybe_unused]] tributary::BlockFactories& blocks)
