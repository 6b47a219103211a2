#pragma once
/// Parameters of compute models: paths `compute.*`.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/parameters.h"
#include "testbench/workload/training/compute/roofline.h"
#include "testbench/workload/training/compute/systolic.h"

namespace tributary::training {

/// `trace`: durations stand in the graph that is read.
enum class ComputeModel : std::uint8_t { systolic, roofline, table, trace };

/// A file, by its path; empty: none. Text form: the path, or `none`.
struct TableFile {
  std::string path;
};

}  // namespace tributary::training

namespace tributary {

template <>
struct EnumNames<training::ComputeModel> {
  static const std::vector<std::pair<training::ComputeModel, std::string>>& names() {
    static const std::vector<std::pair<training::ComputeModel, std::string>> n{
        {training::ComputeModel::systolic, "systolic"},
        {training::ComputeModel::roofline, "roofline"},
        {training::ComputeModel::table, "table"},
        {training::ComputeModel::trace, "trace"}};
    return n;
  }
};
template <>
struct ParameterText<training::TableFile> {
  static training::TableFile parse(const std::string& text) { return {text == "none" ? "" : text}; }
  static std::string print(const training::TableFile& file) { return file.path.empty() ? "none" : file.path; }
  static std::string legal() { return "a CSV file, or none"; }
};

}  // namespace tributary

namespace tributary::training {

struct ComputeParams {
  ComputeModel model = ComputeModel::systolic;
  SystolicParams systolic;
  std::uint32_t arrays = 16;
  Time clock = 1_ns;
  bool local_reduce = false;
  RooflineParams roofline;
  std::optional<Time> time;
  TableFile table;
  double scale = 1;
  std::uint32_t memory_share = 0;
};
template <class V>
void visit(V& v, ComputeParams& p) {
  const char* const page = "docs/training_models.md";
  v.field("model", p.model,
          Note("where times of layers come from: an array's cycles, operations and bytes, measured times, or the trace that "
               "is read")
              .source(page));
  v.field("array", p.systolic.array, Note("rows x columns of one array").source("MultiTree, ISCA 2021, Table III"));
  v.field("arrays", p.arrays,
          Note("of one accelerator; each works on samples of its own")
              .source("MultiTree, ISCA 2021, Table III")
              .range("1", "65536"));
  v.field("clock", p.clock, Note("cycle of an array").source("MultiTree, ISCA 2021, Table III").range("1ps", "1us"));
  v.field("fold", p.systolic.fold,
          Note("folds of an array follow each other without draining, or with").source("docs/training_models.md#folds"));
  v.field("dataflow", p.systolic.dataflow,
          Note("what stays in the cells; other than output_stationary with separate folds")
              .source("docs/training_models.md#folds"));
  v.field("rounding", p.systolic.rounding,
          Note("outputs of a filter that does not end at the edge of its input").source("docs/training_models.md#products"));
  v.field("input_gradient", p.systolic.input_gradient,
          Note("as a transposed convolution with its zeros, or with the multiplications of the forward pass")
              .source("MultiTree, ISCA 2021, V-A"));
  v.field("local_reduce", p.local_reduce,
          Note("arrays of an accelerator add up their gradients").source("docs/training_models.md#products [G]"));
  v.field("peak", p.roofline.peak,
          Note("operations per second of a GPU").source("Klenk et al., ISCA 2020, VI-E").range("1MFLOP/s", "1000PFLOP/s"));
  v.field("efficiency", p.roofline.efficiency,
          Note("of that peak").source("docs/training_models.md#roofline [G]").range("0.001", "1"));
  v.field("memory_rate", p.roofline.memory_rate,
          Note("of a GPU's memory").source("NVIDIA, Tesla V100 datasheet").range("1MB/s", "1000TB/s"));
  v.field("launch", p.roofline.launch,
          Note("before each kernel: one for the forward pass of a layer, one for its backward pass")
              .source("Klenk et al., ISCA 2020, VI-E")
              .range("0ps", "1s"));
  v.field(
      "time", p.time,
      Note("table: forward and backward pass of one iteration, spread over layers by multiplications, a third of it forward")
          .automatic("what compute.table holds")
          .source("docs/training_models.md#table")
          .range("1ps", "1000s"));
  v.field("table", p.table, Note("table: milliseconds of each layer").source("docs/training_models.md#table"));
  v.field("scale", p.scale, Note("all times of compute, times this").source(page).range("0.000001", "1000000"));
  v.field("memory_share", p.memory_share,
          Note("per cent of the memory's rate that a collective takes while it is active, from tasks that memory bounds")
              .source("docs/training_models.md#interference [G]")
              .range("0", "99"));
}

}  // namespace tributary::training
