#include "testbench/workload/training/read/read_graph.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "testbench/workload/input_error.h"
#include "testbench/workload/training/read/chakra_graph.h"
#include "testbench/workload/training/read/chakra_json.h"
#include "testbench/workload/training/read/file_begin.h"
#include "testbench/workload/training/read/graph_yaml.h"
#include "testbench/workload/training/read/gzip_file.h"
#include "testbench/workload/training/read/nccl_log.h"
#include "testbench/workload/training/read/pytorch_trace.h"
#include "testbench/workload/training/read/recorded_graph.h"
#include "testbench/workload/training/read/text_graph.h"
#include "testbench/workload/training/read/text_workload.h"

namespace tributary::training {
namespace {

constexpr std::size_t most_text = std::size_t{1} << 30;  ///< bytes of a YAML graph
constexpr const char* legal =
    "neither a training graph (YAML that begins with training_graph: 1), an ASTRA-sim text workload (DATA, MODEL, "
    "HYBRID_..., MICRO), a debug log of NCCL (NCCL_DEBUG=INFO), a trace of PyTorch (JSON with nodes or traceEvents), nor a "
    "Chakra trace";

std::string rest_of(std::istream& file, const std::string& path) {
  std::string text;
  for (char part[1 << 16]; file.read(part, sizeof part) || file.gcount() > 0;) {
    text.append(part, static_cast<std::size_t>(file.gcount()));
    if (text.size() > most_text)
      throw InputError(path + ": too large (legal: up to " + std::to_string(most_text) + " bytes)");
  }
  return text;
}

TaskGraph read_one(std::istream& file, const std::string& path, const ReadOptions& options) {
  const std::string begin = begin_of(file, begin_of_format);
  if (begin.empty()) throw InputError(path + ": empty; " + legal);
  const std::string trace = begin_of(file, begin_of_trace);
  if (is_binary(begin) || (!begins_graph_yaml(begin) && begins_chakra_json(trace))) {
    ChakraGraph graph(options, 1, path);
    graph.add_file(file, path);
    return graph.take();
  }
  if (begins_text_workload(begin)) return graph_of_text(read_text_workload(file, path), options, path);
  if (begins_pytorch_trace(begin) && !begins_graph_yaml(begin))
    return graph_of_calls({read_pytorch_trace(file, path, options.step)}, options, path);
  if (!begins_graph_yaml(begin) && holds_nccl_log(trace)) return graph_of_calls(read_nccl_log(file, path), options, path);
  if (begins_graph_yaml(begin)) return read_graph_yaml(rest_of(file, path), path, options.ranks);
  throw InputError(path + ": " + legal);
}

std::unique_ptr<std::istream> opened(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw InputError(path + ": is a directory (legal: a file, or the prefix of PREFIX.0.et, ...)");
  return std::make_unique<InputFile>(path);
}

std::string rank_path(const std::string& prefix, int rank, const std::string& end) {
  return prefix + "." + std::to_string(rank) + end;
}

/// Throws if a rank's file exists after the last file of an unbroken sequence: a file between them is missing.
void check_gaps(const std::string& prefix, int count, const std::string& end) {
  const std::filesystem::path path(prefix);
  const std::string begin = path.filename().string() + ".";
  std::error_code ignored;
  const auto folder = path.parent_path().empty() ? std::filesystem::path(".") : path.parent_path();
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.size() <= begin.size() + end.size() || name.compare(0, begin.size(), begin) != 0) continue;
    if (name.compare(name.size() - end.size(), end.size(), end) != 0) continue;
    const std::string number = name.substr(begin.size(), name.size() - begin.size() - end.size());
    if (number.size() > 9 || number.find_first_not_of("0123456789") != std::string::npos) continue;
    if (std::stoi(number) >= count)
      throw InputError(rank_path(prefix, count, end) + ": missing, but " + name +
                       " exists (legal: a trace for each rank from 0)");
  }
}

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

}  // namespace

TaskGraph read_graph_text(const std::string& text, const std::string& path, const ReadOptions& options) {
  std::istringstream file(text);
  return read_one(file, path, options);
}

std::vector<std::string> trace_files(const std::string& path) {
  if (exists(path)) return {path};
  for (const std::string end : {".et", ".json"}) {
    std::vector<std::string> files;
    while (exists(rank_path(path, static_cast<int>(files.size()), end)))
      files.push_back(rank_path(path, static_cast<int>(files.size()), end));
    if (files.empty()) continue;
    check_gaps(path, static_cast<int>(files.size()), end);
    return files;
  }
  return {path};
}

std::unique_ptr<std::istream> open_trace(const std::string& path) {
  std::unique_ptr<std::istream> file = opened(path);
  const std::string begin = begin_of(*file, begin_of_format);
  if (!is_binary(begin) && !begins_chakra_json(begin_of(*file, begin_of_trace)))
    throw InputError(
        path + ": not a Chakra trace (legal: a Chakra trace; `train --graph` reads logs of NCCL, traces of PyTorch and " +
        "text workloads)");
  return file;
}

TaskGraph read_graph(const std::string& path, const ReadOptions& options) {
  const std::vector<std::string> files = trace_files(path);
  if (files.front() == path) {
    const std::unique_ptr<std::istream> file = opened(path);
    return read_one(*file, path, options);
  }
  ChakraGraph graph(options, static_cast<int>(files.size()), path);
  for (const std::string& name : files) {
    const std::unique_ptr<std::istream> file = open_trace(name);
    graph.add_file(*file, name);
  }
  return graph.take();
}

}  // namespace tributary::training
