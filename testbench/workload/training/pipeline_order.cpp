#include "testbench/workload/training/pipeline_order.h"

#include <algorithm>
#include <string>

#include "testbench/workload/input_error.h"

namespace tributary::training {
namespace {

/// Returns pass `k` of one direction of a place: micro-batches in sets of `places`, each set through all stages of the
/// place.
StagePass pass_number(const PipelineShape& shape, unsigned k, bool forward) {
  const unsigned set = shape.places * shape.turns, turn = k % set / shape.places;
  return {forward, k / set * shape.places + k % shape.places, forward ? turn : shape.turns - 1 - turn};
}

}  // namespace

std::vector<StagePass> pipeline_order(const PipelineShape& shape, unsigned place) {
  const unsigned p = shape.places, all = shape.micro_batches * shape.turns, behind = p - 1 - place;
  if (shape.turns > 1 && shape.micro_batches % p != 0)
    throw InputError("training.virtual_stages=" + std::to_string(shape.turns) + " with " +
                     std::to_string(shape.micro_batches) +
                     " passes (legal: training.accumulate as a multiple of pipeline=" + std::to_string(p) + ")");
  const unsigned warm = std::min(all, shape.turns == 1 ? behind : 2 * behind + (shape.turns - 1) * p);
  const auto number = [&](unsigned k, bool forward) {
    return shape.turns == 1 ? StagePass{forward, k, 0} : pass_number(shape, k, forward);
  };
  std::vector<StagePass> order;
  unsigned forward = 0, backward = 0;
  while (forward < warm) order.push_back(number(forward++, true));
  while (forward < all) order.push_back(number(forward++, true)), order.push_back(number(backward++, false));
  while (backward < all) order.push_back(number(backward++, false));
  return order;
}

}  // namespace tributary::training
