#include "testbench/workload/training/read/read_graph.h"

#include <filesystem>
#include <memory>
#include <sstream>
#include <utility>
#include <vector>

#include "testbench/workload/input_error.h"
#include "testbench/workload/training/read/chakra_graph.h"
#include "testbench/workload/training/read/graph_yaml.h"
#include "testbench/workload/training/read/nccl_log.h"
#include "testbench/workload/training/read/pytorch_trace.h"
#include "testbench/workload/training/read/recorded_graph.h"
#include "testbench/workload/training/read/text_graph.h"
#include "testbench/workload/training/read/text_workload.h"
#include "testbench/workload/training/read/trace_files.h"
#include "testbench/workload/training/read/trace_format.h"

namespace tributary::training {
namespace {

constexpr std::size_t most_text = std::size_t{1} << 30;  ///< bytes of a YAML graph

std::string rest_of(std::istream& file, const std::string& path) {
  std::string text;
  for (char part[1 << 16]; file.read(part, sizeof part) || file.gcount() > 0;) {
    text.append(part, static_cast<std::size_t>(file.gcount()));
    if (text.size() > most_text)
      throw InputError(path + ": too large (legal: up to " + std::to_string(most_text) + " bytes)");
  }
  return text;
}

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

/// Refuses graph.compute_gap with formats that have their own computation.
void check_gap(TraceFormat format, const ReadOptions& options, const std::string& path) {
  if (options.compute_gap > 0 && format != TraceFormat::nccl && format != TraceFormat::pytorch)
    throw InputError(path +
                     ": graph.compute_gap has no effect on this format (legal: a log of NCCL, or an execution trace " +
                     "of PyTorch)");
}

TaskGraph read_one(std::istream& file, const std::string& path, const ReadOptions& options) {
  const TraceFormat format = format_of_trace(file, path);
  check_gap(format, options, path);
  switch (format) {
    case TraceFormat::chakra: {
      ChakraGraph graph(options, 1, path);
      graph.add_file(file, path);
      return graph.take();
    }
    case TraceFormat::text:
      return graph_of_text(read_text_workload(file, path), options, path);
    case TraceFormat::pytorch:
      return graph_of_calls({read_pytorch_trace(file, path, options.step)}, options, path);
    case TraceFormat::nccl:
      return graph_of_calls(read_nccl_log(file, path), options, path);
    case TraceFormat::graph:
      return read_graph_yaml(rest_of(file, path), path, options.ranks);
    default:
      refuse_format(format, path);
  }
}

/// Reads the traces of PyTorch of all ranks: in the order of the ranks, or, in a folder, with the rank in each.
TaskGraph read_pytorch_ranks(const std::vector<std::string>& files, bool ordered, const std::string& path,
                             const ReadOptions& options) {
  std::vector<RecordedProcess> processes(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::unique_ptr<std::istream> file = open_trace(files[i]);
    if (format_of_trace(*file, files[i]) != TraceFormat::pytorch)
      throw InputError(files[i] +
                       ": not a trace of PyTorch, but the other ranks have traces of PyTorch (legal: one format)");
    RecordedProcess process = read_pytorch_trace(*file, files[i], options.step);
    if (!ordered && !process.rank)
      throw InputError(files[i] +
                       ": no rank in distributedInfo (legal in a folder: traces of the profiler that state their " +
                       "rank; otherwise names with %d for the rank)");
    const std::uint64_t rank = ordered ? i : *process.rank;
    if (process.rank.value_or(rank) != rank || rank >= files.size() || processes[rank].rank)
      throw InputError(files[i] + ": the trace of rank " + std::to_string(*process.rank) +
                       " (legal: " + (ordered ? "that of rank " + std::to_string(rank) : "each rank from 0 once") + ")");
    process.rank = rank;
    process.name = "rank " + std::to_string(rank);
    processes[rank] = std::move(process);
  }
  return graph_of_calls(processes, options, path);
}

/// Reads the Chakra traces of all ranks, in the order of the ranks.
TaskGraph read_chakra_ranks(const std::vector<std::string>& files, const std::string& path, const ReadOptions& options) {
  check_gap(TraceFormat::chakra, options, path);
  ChakraGraph graph(options, static_cast<int>(files.size()), path);
  for (const std::string& name : files) {
    const std::unique_ptr<std::istream> file = open_trace(name);
    if (format_of_trace(*file, name) != TraceFormat::chakra)
      throw InputError(name + ": not a Chakra trace, but the other ranks have Chakra traces (legal: one format)");
    graph.add_file(*file, name);
  }
  return graph.take();
}

}  // namespace

TaskGraph read_graph_text(const std::string& text, const std::string& path, const ReadOptions& options) {
  std::istringstream file(text);
  return read_one(file, path, options);
}

TaskGraph read_graph(const std::string& path, const ReadOptions& options) {
  const std::vector<std::string> files = trace_files(path);
  const std::unique_ptr<std::istream> first = open_trace(files.front());
  if (files.front() == path) return read_one(*first, path, options);
  const TraceFormat format = format_of_trace(*first, files.front());
  if (is_folder(path) && format != TraceFormat::pytorch)
    throw InputError(path + ": is a directory, and " + files.front() + " is not a trace of PyTorch (legal: traces of " +
                     "PyTorch's profiler of all ranks, or a file)");
  switch (format) {
    case TraceFormat::pytorch:
      if (files.size() > 1) return read_pytorch_ranks(files, !is_folder(path), path, options);
      return read_one(*first, files.front(), options);
    case TraceFormat::chakra:
      return read_chakra_ranks(files, path, options);
    default:
      throw InputError(files.front() + ": not a trace of a rank (legal: a Chakra trace or a trace of PyTorch; another " +
                       "format is one file, such as --graph " + files.front() + ")");
  }
}

}  // namespace tributary::training
