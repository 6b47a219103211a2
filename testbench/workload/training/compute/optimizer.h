#pragma once
/// Time of the optimizer step, which turns gradients into new weights and is bound by memory.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/parameters.h"
#include "testbench/workload/training/compute/roofline.h"

namespace tributary::training {

enum class OptimizerKind : std::uint8_t { none, sgd, adam };
enum class OptimizerWhen : std::uint8_t { one, each };

}  // namespace tributary::training

namespace tributary {

template <>
struct EnumNames<training::OptimizerKind> {
  static const std::vector<std::pair<training::OptimizerKind, std::string>>& names() {
    static const std::vector<std::pair<training::OptimizerKind, std::string>> n{{training::OptimizerKind::none, "none"},
                                                                                {training::OptimizerKind::sgd, "sgd"},
                                                                                {training::OptimizerKind::adam, "adam"}};
    return n;
  }
};
template <>
struct EnumNames<training::OptimizerWhen> {
  static const std::vector<std::pair<training::OptimizerWhen, std::string>>& names() {
    static const std::vector<std::pair<training::OptimizerWhen, std::string>> n{{training::OptimizerWhen::one, "one"},
                                                                                {training::OptimizerWhen::each, "each"}};
    return n;
  }
};

}  // namespace tributary

namespace tributary::training {

struct OptimizerParams {
  OptimizerKind kind = OptimizerKind::none;
  std::optional<std::uint32_t> bytes_per_parameter;
  OptimizerWhen when = OptimizerWhen::one;
  bool sharded = false;
};
template <class V>
void visit(V& v, OptimizerParams& p) {
  v.field("kind", p.kind,
          Note("optimizer: none (part of the measured compute), sgd (with momentum, in f32) or adam (in mixed precision)")
              .source("docs/training_models.md#optimizer"));
  v.field("bytes_per_parameter", p.bytes_per_parameter,
          Note("bytes read and written per parameter")
              .role(ParameterRole::shape)
              .automatic("28 for adam: f16 gradient, f32 weight and two moments read; the last three and the f16 weight "
                         "written; 20 for sgd")
              .source("docs/training_models.md#optimizer")
              .range("1", "1000"));
  v.field("when", p.when,
          Note("one step after the last collective, or one step after each collective")
              .source("docs/training_models.md#optimizer"));
  v.field("sharded", p.sharded,
          Note("update of each rank's own slice of the parameters only (ZeRO)").source("Rajbhandari et al., SC 2020, 5.1"));
}

/// Returns the bytes that a step reads and writes per parameter: 0, 20, 28, or the value of the parameter.
std::uint32_t bytes_per_parameter(const OptimizerParams& params);

/// Returns the bytes of state that the optimizer keeps per parameter: in f32 two moments (adam) or a momentum (sgd), and a
/// copy of weights with fewer than 4 bytes (Rajbhandari et al., SC 2020, 3.1); 0 for `none`.
std::uint32_t state_bytes_per_parameter(OptimizerKind kind, std::uint64_t element_bytes);

/// Returns bytes / memory rate plus one launch; 0 for `none`. With `sharded`, the time of the largest of `ranks` slices.
/// Throws InputError beyond 1000 s.
Tick optimizer_time(const OptimizerParams& params, std::uint64_t parameters, std::uint64_t ranks, const RooflineParams& gpu);

}  // namespace tributary::training
