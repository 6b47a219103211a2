#pragma once
/// Shared libraries of an architect's own blocks (platforms/plugin.h).

#include <string>

#include "platforms/block_factories.h"

namespace tributary {

/// The file of FILE or FILE:BLOCK.
std::string plugin_file(const std::string& plugin);
/// Adds the blocks of the library FILE, or the one that FILE:BLOCK names. The library stays loaded until the process ends.
/// Throws std::invalid_argument, one line: no such file, no shared library, no entry, another version, no such block, a block twice.
void load_plugin(const std::string& plugin, BlockFactories& blocks);

}  // namespace tributary
