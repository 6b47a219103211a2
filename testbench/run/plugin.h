#pragma once
/// Shared libraries with a user's own blocks (platforms/plugin.h).

#include <string>

#include "platforms/block_factories.h"

namespace tributary {

/// Returns FILE of FILE or FILE:BLOCK.
std::string plugin_file(const std::string& plugin);
/// Adds the blocks of the library FILE, or the one that FILE:BLOCK names. The library remains loaded until the process ends.
/// Throws std::invalid_argument, one line: file missing, not a shared library, no entry point, wrong version, no such block,
/// or a block that exists already.
void load_plugin(const std::string& plugin, BlockFactories& blocks);

}  // namespace tributary
