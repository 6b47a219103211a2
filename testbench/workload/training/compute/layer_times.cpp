#include "testbench/workload/training/compute/layer_times.h"

#include <algorithm>
#include <cmath>

#include "modules/base/host/wide.h"
#include "modules/base/text_format.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/compute/counts.h"
#include "testbench/workload/training/compute/roofline_times.h"
#include "testbench/workload/training/compute/time_table.h"

namespace tributary::training {
namespace {

[[noreturn]] void too_long() { throw InputError("a pass of more than 1000 s (legal: up to 1000 s)"); }

Tick time_of(std::uint64_t cycles, Time clock) {
  const Wide time = Wide{cycles} * clock.value;
  if (time > longest_pass) too_long();
  return static_cast<Tick>(time);
}

/// Names of layers for a warning; the first three are printed.
class NamedLayers {
 public:
  void add(const ModelLayer& layer) {
    if (++count_ <= 3) names_ += (names_.empty() ? "" : ", ") + one_line(layer.name);
  }
  bool any() const { return count_ > 0; }
  std::string text() const {
    return std::to_string(count_) + (count_ == 1 ? " layer (" : " layers (") + names_ + (count_ > 3 ? ", ..." : "") + ")";
  }

 private:
  std::size_t count_ = 0;
  std::string names_;
};

/// Layers that deserve a warning.
struct Doubts {
  NamedLayers costly;  ///< input gradients far longer than the forward pass
};

std::vector<std::string> warnings_of(const std::string& model, const Doubts& doubts) {
  std::vector<std::string> warnings;
  const std::string name = "model " + one_line(model) + ": ";
  if (doubts.costly.any())
    warnings.push_back(
        name + "gradients of the inputs take over 20 times the forward pass in " + doubts.costly.text() +
        ": their rows are hardly meant as transposed convolutions; compute.input_gradient=gemm omits the zeros");
  return warnings;
}

/// Arrays compute the products of a shape. Other work, such as attention that `macs` counts, would be missing in their time.
void check_multiplications(const ModelLayer& layer, std::uint64_t of_shape) {
  if (layer.multiplications == of_shape) return;
  throw InputError(std::to_string(layer.multiplications) + " macs, but compute.model=systolic computes the " +
                   std::to_string(of_shape) + " of its shape (legal: compute.model=roofline, or no macs)");
}

/// Samples pass through the arrays one after another; tokens of a layer pass together, since they share its weights.
PassTimes systolic_times(const ModelLayer& layer, BatchUnit unit, const ComputeParams& p, std::uint64_t batch,
                         Doubts& doubts) {
  if (!layer.shape) {
    if (layer.multiplications != 0) throw InputError("no shape, which compute.model=systolic needs (legal: conv or matrix)");
    return {};
  }
  const std::uint64_t experts = std::max<std::uint64_t>(1, layer.chosen);
  check_multiplications(layer, times(multiplications(*layer.shape), experts));
  const std::uint64_t on_one_array = ceil_div(batch, p.arrays);
  const std::uint64_t passes = times(on_one_array, experts);
  const std::uint64_t tokens = unit == BatchUnit::token ? passes : 1;
  const std::uint64_t runs = unit == BatchUnit::token ? 1 : passes;
  const PassCycles cycles = systolic_cycles(*layer.shape, p.systolic, tokens);
  if (costly_input_gradient(cycles)) doubts.costly.add(layer);
  const std::uint64_t reduce = p.local_reduce ? local_reduce_cycles(layer.weights(), p.arrays, p.systolic.array) : 0;
  PassTimes t{time_of(times(cycles.forward, runs), p.clock), time_of(times(cycles.input_gradient, runs), p.clock),
              time_of(times(cycles.weight_gradient, runs), p.clock), 0, false};
  t.weight_gradient += time_of(reduce, p.clock);
  return t;
}

Tick scaled(Tick time, double scale) {
  const double ps = static_cast<double>(time) * scale;
  if (!(ps <= static_cast<double>(longest_pass))) too_long();
  return static_cast<Tick>(std::llround(ps));
}

std::vector<PassTimes> table_times(const Model& model, const ComputeParams& p) {
  if (p.time && !p.table.path.empty()) throw InputError("compute.time and compute.table are both set (legal: one of them)");
  if (p.time) return spread_time(model, p.time->value);
  if (!p.table.path.empty()) return read_time_table(p.table.path, model);
  throw InputError("compute.model=table without times (legal: compute.time or compute.table)");
}

}  // namespace

LayerTimes layer_times(const Model& model, const ComputeParams& params, std::uint64_t batch, std::uint64_t element_bytes,
                       bool first_input_gradient, const LayerTokens& tokens) {
  if (params.model == ComputeModel::trace)
    throw InputError("compute.model=trace without a trace (legal: systolic, roofline, table)");
  if (params.kernels == Kernels::all && params.model != ComputeModel::roofline)
    throw InputError("compute.kernels=all without compute.model=roofline (legal: compute.kernels=products)");
  LayerTimes result;
  if (params.model == ComputeModel::table) result.passes = table_times(model, params);
  Doubts doubts;
  const std::uint64_t whole = tokens.whole == 0 ? batch : tokens.whole;
  for (const ModelLayer& layer : model.layers) {
    if (params.model == ComputeModel::table) break;
    const PassSize size{layer.split == Split::none ? whole : batch, whole, tokens.sequence == 0 ? batch : tokens.sequence,
                        element_bytes, tokens.weight_bytes};
    try {
      result.passes.push_back(params.model == ComputeModel::systolic
                                  ? systolic_times(layer, model.unit, params, size.samples, doubts)
                                  : roofline_times(layer, params, size));
      if (&layer == &model.layers.front() && !first_input_gradient) doubts.costly = {};
    } catch (const InputError& error) {
      throw InputError("model " + one_line(model.name) + ", layer " + one_line(layer.name) + ": " + error.what());
    }
  }
  result.warnings = warnings_of(model.name, doubts);
  if (params.scale != 1)
    for (PassTimes& t : result.passes)
      t = {scaled(t.forward, params.scale),
           scaled(t.input_gradient, params.scale),
           scaled(t.weight_gradient, params.scale),
           scaled(t.update, params.scale),
           t.memory_bound,
           scaled(t.attention, params.scale),
           scaled(t.attention_gradient, params.scale)};
  return result;
}

}  // namespace tributary::training
