#include "testbench/cli/requests/file_options.h"

#include <algorithm>
#include <filesystem>

#include "platforms/topology/files/file_reading.h"
#include "testbench/observe/fst_file.h"
#include "testbench/run/blocks/shadow_tap.h"
#include "testbench/run/plugin.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/read/group_file.h"
#include "testbench/workload/training/read/trace_files.h"

namespace tributary {
namespace {

constexpr std::size_t none = std::string::npos;

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Options that read the file that they name. `scenario`, `results`, `measured` and `file` are arguments of commands.
const std::vector<std::string>& reading_options() {
  static const std::vector<std::string> all{"messages", "graph",   "plugin",   "shadow",
                                            "scenario", "results", "measured", "file"};
  return all;
}

/// True for `model.yaml` and `folder/model`, false for the name of a model or preset that ships.
bool is_file_name(const std::string& text) {
  const std::string end = std::filesystem::path(text).extension().string();
  return text.find('/') != none || end == ".yaml" || end == ".yml" || end == ".csv";
}

/// Finds the path of `file:FILE`, `nccl_xml:FILE`, `topo_m:FILE` and `servers:2xfile:FILE`.
std::size_t platform_path(const std::string& text) {
  std::size_t begin = 0;
  const std::string servers = "servers:";
  if (text.compare(0, servers.size(), servers) == 0) {
    begin = text.find('x', servers.size());
    if (begin == none) return none;
    ++begin;
  }
  for (const std::string form : {"file:", "nccl_xml:", "topo_m:"})
    if (text.compare(begin, form.size(), form) == 0) return begin + form.size();
  return none;
}

std::size_t assigned_path(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == none) return none;
  const std::string parameter = text.substr(0, equals), value = text.substr(equals + 1);
  if (parameter == "compute.table") return value == "none" ? none : equals + 1;
  if (parameter == "graph.groups") return value == "auto" ? none : equals + 1;
  return parameter == "training.model" && is_file_name(value) ? equals + 1 : none;
}

/// Returns the traces of all ranks of a prefix, or the file itself, and the file of process groups next to them.
std::vector<std::string> traces(const std::string& path) {
  try {
    std::vector<std::string> files = training::trace_files(path);
    if (const std::string groups = training::group_file_of(path); !groups.empty()) files.push_back(groups);
    return files;
  } catch (const InputError&) {  // the reader reports the missing trace
    return {path};
  }
}

/// Returns the path without the keys that follow the name of a topology file.
std::string without_keys(const std::string& text) {
  try {
    return topology::file_reading(text).path;
  } catch (const std::invalid_argument&) {  // the platform reports the error
    return text;
  }
}

}  // namespace

const std::vector<std::string>& writing_options() {
  static const std::vector<std::string> all{"json",      "csv",           "dot",    "svg",         "msccl",
                                            "nccl-text", "nccl-json",     "vcd",    "pcap",        "html",
                                            "perfetto",  "perfetto-json", "report", "write-graph", "bottleneck-svg"};
  return all;
}

std::size_t path_begin(const std::string& option, const std::string& text) {
  if (holds(reading_options(), option) || holds(writing_options(), option)) return 0;
  if (option == "model" || option == "preset") return is_file_name(text) ? 0 : none;
  if (option == "platform" || option == "topology") return platform_path(text);
  const std::string prefix = "msccl:";
  if (option == "algorithm") return text.compare(0, prefix.size(), prefix) == 0 ? prefix.size() : none;
  return option == "set" ? assigned_path(text) : none;
}

std::vector<std::string> files_read(const std::string& option, const std::string& text) {
  const std::size_t begin = holds(writing_options(), option) ? none : path_begin(option, text);
  if (begin == none || begin >= text.size()) return {};
  const std::string path = text.substr(begin);
  if (option == "platform" || option == "topology") return {without_keys(path)};
  if (option == "graph" || option == "file") return traces(path);
  if (option == "shadow") return {plugin_file(ShadowTap::plugin_of(path))};
  return {option == "plugin" ? plugin_file(path) : path};
}

std::vector<std::string> files_written(const std::string& option, const std::string& text) {
  if (option != "vcd") return {text};
  std::vector<std::string> all{text, text + ".gtkw", text + ".gtkw.names"};
  if (is_fst(text)) all.push_back(text + ".vcd");
  constexpr int most_lists = 9;  // lists of names of values, one file each
  for (int i = 2; i <= most_lists; ++i) all.push_back(text + ".gtkw.names" + std::to_string(i));
  return all;
}

}  // namespace tributary
