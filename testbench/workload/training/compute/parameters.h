#pragma once
/// Parameters of compute models: paths `compute.*`.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/parameters.h"
#include "testbench/workload/training/compute/attention.h"
#include "testbench/workload/training/compute/roofline.h"
#include "testbench/workload/training/compute/systolic.h"

namespace tributary::training {

/// `trace`: durations are taken from the graph that is read.
enum class ComputeModel : std::uint8_t { systolic, roofline, table, trace };

/// Kernels whose time counts: those of the listed multiplications and activations, or also attention, normalisation and
/// other element-wise kernels, and the activations of layers that list none.
enum class Kernels : std::uint8_t { products, all };

/// Path of a file; empty: none. Text form: the path, or `none`.
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
struct EnumNames<training::Kernels> {
  static const std::vector<std::pair<training::Kernels, std::string>>& names() {
    static const std::vector<std::pair<training::Kernels, std::string>> n{{training::Kernels::products, "products"},
                                                                          {training::Kernels::all, "all"}};
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
  Kernels kernels = Kernels::products;
  AttentionKernel attention = AttentionKernel::scores;
  std::optional<Bytes> memory;
  std::optional<Time> time;
  TableFile table;
  double scale = 1;
  std::uint32_t memory_share = 0;
};
template <class V>
void visit(V& v, ComputeParams& p) {
  const char* const page = "docs/training_models.md";
  v.field("model", p.model,
          Note("source of layer times: cycles of an array, operations and bytes, measured times, or the trace that "
               "is read")
              .source(page));
  v.field("array", p.systolic.array, Note("rows x columns of one array").source("MultiTree, ISCA 2021, Table III"));
  v.field("arrays", p.arrays,
          Note("arrays of one accelerator, each working on its own samples")
              .role(ParameterRole::rate)
              .source("MultiTree, ISCA 2021, Table III")
              .range("1", "65536"));
  v.field("clock", p.clock,
          Note("cycle time of an array")
              .role(ParameterRole::cycle)
              .source("MultiTree, ISCA 2021, Table III")
              .range("1ps", "1us"));
  v.field("fold", p.systolic.fold,
          Note("transition between folds of an array: without draining (pipelined) or with (separate)")
              .source("docs/training_models.md#folds"));
  v.field("dataflow", p.systolic.dataflow,
          Note("data held in the cells; weight and input stationary only with separate folds")
              .source("docs/training_models.md#folds"));
  v.field("rounding", p.systolic.rounding,
          Note("rounding of the number of outputs if a filter does not end at the edge of its input")
              .source("docs/training_models.md#products"));
  v.field(
      "input_gradient", p.systolic.input_gradient,
      Note("cost of the input gradient: a transposed convolution with its zeros, or the multiplications of the forward pass")
          .source("MultiTree, ISCA 2021, V-A"));
  v.field("local_reduce", p.local_reduce,
          Note("summation of gradients over the arrays of an accelerator").source("docs/training_models.md#products [G]"));
  v.field("peak", p.roofline.peak,
          Note("operations per second of a GPU")
              .role(ParameterRole::rate)
              .source("Klenk et al., ISCA 2020, VI-E")
              .range("1MFLOP/s", "1000PFLOP/s"));
  v.field("efficiency", p.roofline.efficiency,
          Note("attained fraction of the peak")
              .role(ParameterRole::rate)
              .source("docs/training_models.md#roofline [G]")
              .range("0.001", "1"));
  v.field("memory_rate", p.roofline.memory_rate,
          Note("memory bandwidth of a GPU")
              .role(ParameterRole::rate)
              .source("NVIDIA, Tesla V100 datasheet")
              .range("1MB/s", "1000TB/s"));
  v.field("kernels", p.kernels,
          Note("roofline: kernels that count: products with listed activations, or all, with attention, normalisation and "
               "other element-wise kernels")
              .source("docs/training_models.md#kernels"));
  v.field("attention", p.attention,
          Note("kernels of attention: with scores in memory, or one fused kernel that keeps them on chip")
              .source("Dao et al., NeurIPS 2022"));
  v.field("memory", p.memory,
          Note("memory of a GPU; a step that needs more is refused")
              .role(ParameterRole::room)
              .automatic("no limit")
              .source("docs/training_models.md#memory")
              .range("1MB", "1000TB"));
  v.field("launch", p.roofline.launch,
          Note("launch time of each kernel: one kernel for the forward pass of a layer, one for its backward pass")
              .role(ParameterRole::delay)
              .source("Klenk et al., ISCA 2020, VI-E")
              .range("0ps", "1s"));
  v.field("time", p.time,
          Note("table: time of forward and backward of an iteration, spread over layers by multiplications, a third of it "
               "forward")
              .role(ParameterRole::delay)
              .automatic("times of compute.table")
              .source("docs/training_models.md#table")
              .range("1ps", "1000s"));
  v.field("table", p.table, Note("table: file with the milliseconds of each layer").source("docs/training_models.md#table"));
  v.field("scale", p.scale,
          Note("factor on all compute times").role(ParameterRole::cycle).source(page).range("0.000001", "1000000"));
  v.field("memory_share", p.memory_share,
          Note("per cent of the memory rate that an active collective takes from memory-bound tasks")
              .role(ParameterRole::shape)
              .source("docs/training_models.md#interference [G]")
              .range("0", "99"));
}

}  // namespace tributary::training
