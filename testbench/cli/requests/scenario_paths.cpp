#include "testbench/cli/requests/scenario_paths.h"

#include <filesystem>
#include <set>

namespace tributary {
namespace {

/// Options whose value is a path, possibly with a block's name after it (plugin).
bool is_path_option(const std::string& option) {
  static const std::set<std::string> all{"messages", "graph", "plugin", "json", "csv",      "nccl-text",     "nccl-json",
                                         "report",   "html",  "vcd",    "pcap", "perfetto", "perfetto-json", "write-graph"};
  return all.count(option) != 0;
}

/// True for `model.yaml` and `folder/model`, false for the name of a model or preset that ships.
bool is_file_name(const std::string& text) {
  const std::string end = std::filesystem::path(text).extension().string();
  return text.find('/') != std::string::npos || end == ".yaml" || end == ".yml" || end == ".csv";
}

/// Returns the position at which the path begins in the value of an option, or npos if the value holds no path.
std::size_t path_begin(const std::string& option, const std::string& text) {
  if (is_path_option(option)) return 0;
  if (option == "model" || option == "preset") return is_file_name(text) ? 0 : std::string::npos;
  const std::string prefix = option == "algorithm" ? "msccl:" : option == "platform" ? "file:" : "";
  if (!prefix.empty() && text.rfind(prefix, 0) == 0) return prefix.size();
  if (option != "set") return std::string::npos;
  const std::size_t equals = text.find('=');
  const std::string parameter = text.substr(0, equals);
  if (parameter == "compute.table") return text.substr(equals + 1) == "none" ? std::string::npos : equals + 1;
  return parameter == "training.model" && is_file_name(text.substr(equals + 1)) ? equals + 1 : std::string::npos;
}

}  // namespace

Setting from_scenario(const std::string& file, const std::string& option, Setting setting) {
  const std::size_t begin = path_begin(option, setting.text);
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  if (begin == std::string::npos || folder.empty()) return setting;
  const std::filesystem::path path = setting.text.substr(begin);
  if (path.empty() || path == "-" || path.is_absolute()) return setting;
  setting.written = setting.text;
  setting.text = setting.text.substr(0, begin) + (folder / path).string();
  return setting;
}

}  // namespace tributary
