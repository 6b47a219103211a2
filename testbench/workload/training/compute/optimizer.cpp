#include "testbench/workload/training/compute/optimizer.h"

#include <limits>

#include "testbench/workload/input_error.h"

namespace tributary::training {
namespace {

constexpr std::uint32_t sgd_bytes = 20;   // f32 gradient, weight and momentum read; weight and momentum written
constexpr std::uint32_t adam_bytes = 28;  // f16 gradient, f32 weight and two moments read; last three and f16 weight written

}  // namespace

std::uint32_t bytes_per_parameter(const OptimizerParams& params) {
  if (params.kind == OptimizerKind::none) return 0;
  return params.bytes_per_parameter.value_or(params.kind == OptimizerKind::adam ? adam_bytes : sgd_bytes);
}

std::uint32_t state_bytes_per_parameter(OptimizerKind kind, std::uint64_t element_bytes) {
  constexpr std::uint32_t single = 4;  // f32
  if (kind == OptimizerKind::none) return 0;
  return (kind == OptimizerKind::adam ? 2 * single : single) + (element_bytes < single ? single : 0);
}

Tick optimizer_time(const OptimizerParams& params, std::uint64_t parameters, std::uint64_t ranks,
                    const RooflineParams& gpu) {
  if (params.kind == OptimizerKind::none) return 0;
  const std::uint64_t own = params.sharded ? parameters / ranks + (parameters % ranks != 0) : parameters;
  const std::uint32_t each = bytes_per_parameter(params);
  if (own > std::numeric_limits<std::uint64_t>::max() / each)
    throw InputError("an optimizer of more than 2^64 bytes (legal: fewer parameters)");
  return memory_time(own * each, gpu.memory_rate) + gpu.launch.value;
}

}  // namespace tributary::training
