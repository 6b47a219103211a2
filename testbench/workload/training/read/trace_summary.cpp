#include "testbench/workload/training/read/trace_summary.h"

#include <cstdint>
#include <map>
#include <memory>

#include "modules/base/units.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/layer_table.h"
#include "testbench/workload/training/read/chakra_summary.h"
#include "testbench/workload/training/read/group_file.h"
#include "testbench/workload/training/read/read_graph.h"
#include "testbench/workload/training/read/text_workload.h"
#include "testbench/workload/training/read/trace_files.h"
#include "testbench/workload/training/read/trace_format.h"

namespace tributary::training {
namespace {

std::string count_text(std::uint64_t n) { return std::to_string(n); }

/// Number and bytes of transfers by name.
class TransferCount {
 public:
  void add(const std::string& name, std::uint64_t bytes) {
    Sum& sum = sums_[name];
    ++sum.count;
    sum.bytes += bytes;
  }
  void write(TraceSummary& summary) const {
    for (const auto& [name, sum] : sums_)
      summary.rows.emplace_back("  " + name, count_text(sum.count) + " of " + count_text(sum.bytes) + " B");
  }
  std::size_t total() const {
    std::size_t all = 0;
    for (const auto& [name, sum] : sums_) all += sum.count;
    return all;
  }

 private:
  struct Sum {
    std::size_t count = 0;
    std::uint64_t bytes = 0;
  };
  std::map<std::string, Sum> sums_;
};

void add_chakra(TraceSummary& summary, const std::vector<std::string>& files, const std::string& path,
                const std::string& group_file) {
  ChakraSummary counts;
  for (const std::string& name : files) {
    const std::unique_ptr<std::istream> file = open_trace(name);
    if (format_of_trace(*file, name) != TraceFormat::chakra)
      throw InputError(name + ": not a Chakra trace, but the other ranks have Chakra traces (legal: one format)");
    counts.add_file(*file, name);
  }
  const std::string groups = group_file.empty() ? group_file_of(path) : group_file;
  if (!groups.empty()) counts.add_groups(read_group_file(groups), groups);
  for (auto& row : counts.rows()) summary.rows.push_back(std::move(row));
  summary.refusal = counts.refusal();
}

/// Counts a collective once for its group, although each rank of several traces has a task of its own.
bool counts_once(const TaskGraph& graph, const Task& task) {
  return task.rank < 0 || task.rank == graph.groups[task.group].ranks.front();
}

void add_graph(TraceSummary& summary, const TaskGraph& graph) {
  std::size_t compute = 0;
  Tick time = 0;
  TransferCount transfers;
  for (const Task& task : graph.tasks) {
    if (on_engine(task.kind)) {
      ++compute;
      time += task.work.time;
    } else if (task.kind == TaskKind::collective) {
      if (counts_once(graph, task)) transfers.add(task.transfer.collective, task.transfer.bytes);
    } else if (moves(task.kind)) {
      transfers.add(task.kind == TaskKind::send ? "send" : "receive", task.transfer.bytes);
    }
  }
  summary.rows.emplace_back("ranks", count_text(static_cast<std::uint64_t>(graph.ranks)));
  summary.rows.emplace_back("tasks", count_text(graph.tasks.size()));
  constexpr Tick microsecond = 1'000'000, half = microsecond / 2;
  if (compute > 0)
    summary.rows.emplace_back("compute", count_text(compute) + ", " + count_text((time + half) / microsecond) + " us");
  summary.rows.emplace_back("transfers", count_text(transfers.total()));
  transfers.write(summary);
  summary.rows.emplace_back("groups", count_text(graph.groups.size()));
  summary.warnings = graph.warnings;
}

void add_layout(TraceSummary& summary, const SimAiLayout& layout) {
  const auto row = [&](const char* name, std::uint64_t n) { summary.rows.emplace_back(name, count_text(n)); };
  row("ep", layout.experts);
  row("pp", layout.stages);
  row("vpp", layout.virtual_stages);
  summary.rows.emplace_back("ga", count_text(layout.micro_batches) + " micro-batches, which the rows repeat");
  row("all_gpus", layout.all_ranks);
  summary.rows.emplace_back("pp_comm", count_text(layout.stage_bytes) + " B between stages, which are not simulated");
}

void add_text(TraceSummary& summary, const TextWorkload& workload) {
  std::uint64_t time = 0;
  TransferCount transfers;
  for (const TextRow& row : workload.rows) {
    for (const TextStep& step : row.steps) {
      time += step.time;
      const char* const ends[] = {"", " (ep)", " (edp)"};
      if (!step.collective.empty() && step.bytes > 0)
        transfers.add(step.collective + ends[static_cast<std::size_t>(step.group)], step.bytes);
    }
  }
  summary.rows.emplace_back("kind", name_of(workload.kind));
  if (workload.model_group) summary.rows.emplace_back("model group", count_text(*workload.model_group) + " ranks");
  if (workload.simai) add_layout(summary, *workload.simai);
  summary.rows.emplace_back("rows", count_text(workload.rows.size()));
  summary.rows.emplace_back("compute", count_text(time) + " units of graph.time_unit");
  summary.rows.emplace_back("transfers", count_text(transfers.total()) + ", as the file counts them");
  transfers.write(summary);
}

void add_layers(TraceSummary& summary, std::istream& file, const std::string& path) {
  std::uint64_t weights = 0;
  const std::vector<workload::Layer> layers = workload::read_layer_table(file, path, &summary.warnings);
  for (const workload::Layer& layer : layers) weights += layer.weights;
  summary.rows.emplace_back("layers", count_text(layers.size()));
  summary.rows.emplace_back("weights", count_text(weights));
  summary.rows.emplace_back("a model for", "train --model " + path);
}

const char* name_of(TraceFormat format) {
  switch (format) {
    case TraceFormat::chakra:
      return "chakra";
    case TraceFormat::text:
      return "text workload of ASTRA-sim";
    case TraceFormat::nccl:
      return "log of NCCL";
    case TraceFormat::pytorch:
      return "trace of PyTorch";
    case TraceFormat::layers:
      return "layer table of SCALE-Sim";
    default:
      return "training graph";
  }
}

}  // namespace

TraceSummary summary_of_trace(const std::string& path, const std::string& group_file) {
  const std::vector<std::string> files = trace_files(path);
  const std::unique_ptr<std::istream> file = open_trace(files.front());
  const TraceFormat format = format_of_trace(*file, files.front());
  if (format == TraceFormat::unknown) refuse_format(format, path);
  if (format != TraceFormat::chakra && !group_file.empty())
    throw InputError("--groups: " + path + " is not a Chakra trace (legal: only with one)");
  TraceSummary summary;
  summary.rows.emplace_back("format", name_of(format));
  if (format == TraceFormat::chakra) {
    add_chakra(summary, files, path, group_file);
  } else if (format == TraceFormat::text) {
    const TextWorkload workload = read_text_workload(*file, path);
    if (workload.simai) summary.rows.back().second = "text workload of SimAI";
    add_text(summary, workload);
  } else if (format == TraceFormat::layers) {
    add_layers(summary, *file, path);
  } else {
    add_graph(summary, read_graph(path));
  }
  return summary;
}

}  // namespace tributary::training
