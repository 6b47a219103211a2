#pragma once
/// Time of the step that turns gradients into new weights: it is bound by the memory.

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
          Note("none: its time is part of the measured compute; sgd: with momentum, in f32; adam: in mixed precision")
              .source("docs/training_models.md#optimizer"));
  v.field("bytes_per_parameter", p.bytes_per_parameter,
          Note("read and written for each parameter")
              .automatic("28 for adam: f16 gradient, f32 weight and two moments read; the last three and the f16 weight "
                         "written; 20 for sgd")
              .source("docs/training_models.md#optimizer")
              .range("1", "1000"));
  v.field("when", p.when,
          Note("one step after the last collective, or one after each").source("docs/training_models.md#optimizer"));
  v.field("sharded", p.sharded,
          Note("every rank steps its part of the parameters alone (ZeRO)").source("Rajbhandari et al., SC 2020, 5.1"));
}

/// Bytes that a step reads and writes for each parameter: 0, 20, 28, or what the parameter says.
std::uint32_t bytes_per_parameter(const OptimizerParams& params);

/// Bytes over memory rate, and one launch; 0 for `none`. With `sharded`, of the largest of `ranks` parts.
/// Throws InputError beyond 1000 s.
Tick optimizer_time(const OptimizerParams& params, std::uint64_t parameters, std::uint64_t ranks, const RooflineParams& gpu);

}  // namespace tributary::training
