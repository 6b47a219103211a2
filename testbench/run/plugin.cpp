#include "testbench/run/plugin.h"

#include <dlfcn.h>

#include <filesystem>
#include <stdexcept>
#include <string_view>

#include "modules/base/text_format.h"
#include "platforms/plugin.h"

namespace tributary {
namespace {

static_assert(std::string_view(TRIBUTARY_PLUGIN_TAG).substr(10, std::string_view(TRIBUTARY_VERSION).size()) ==
                  TRIBUTARY_VERSION,
              "platforms/plugin.h names the version of CMakeLists.txt");

/// Returns BLOCK of FILE:BLOCK; empty without one. The path itself may contain colons.
std::string block_of(const std::string& plugin) {
  std::error_code ignored;
  if (std::filesystem::exists(plugin, ignored)) return "";
  const std::size_t colon = plugin.rfind(':');
  if (colon == std::string::npos || plugin.find('/', colon) != std::string::npos) return "";
  return plugin.substr(colon + 1);
}

PluginEntry entry_of(const std::string& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored))
    throw std::invalid_argument("there is no plugin " + file + " (legal: the path of a shared library)");
  // Without a slash, the loader searches the folders of the system.
  const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::invalid_argument("plugin " + file + " cannot be loaded: " + one_line(dlerror()));
  void* const entry = dlsym(library, "tributary_plugin");
  if (entry == nullptr)
    throw std::invalid_argument("plugin " + file + " has no entry point (legal: TRIBUTARY_PLUGIN of platforms/plugin.h)");
  return reinterpret_cast<PluginEntry>(entry);
}

}  // namespace

std::string plugin_file(const std::string& plugin) {
  const std::string block = block_of(plugin);
  return block.empty() ? plugin : plugin.substr(0, plugin.size() - block.size() - 1);
}

void load_plugin(const std::string& plugin, BlockFactories& blocks) {
  const std::string file = plugin_file(plugin), block = block_of(plugin);
  const Plugin* const found = entry_of(file)();
  if (found == nullptr || std::string_view(found->tag) != TRIBUTARY_PLUGIN_TAG)
    throw std::invalid_argument("plugin " + file + " is built for '" + (found == nullptr ? "" : one_line(found->tag)) +
                                "' (legal: '" + TRIBUTARY_PLUGIN_TAG "')");
  try {
    BlockFactories own;
    own.random_registers(blocks.register_seed());
    own.trace_rtl(blocks.rtl_traces());
    found->add_blocks(own);
    if (own.names().empty()) throw std::invalid_argument("it has no blocks (legal: at least one)");
    block.empty() ? blocks.add(own) : blocks.add(own, block);
  } catch (const std::exception& error) {
    throw std::invalid_argument("plugin " + file + ": " + one_line(error.what()));
  }
}

}  // namespace tributary
