#include "testbench/family/tofino/fixed_scaling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "modules/base/field_type.h"
#include "modules/tofino/core/fixed_point.h"
#include "testbench/run/errors.h"
#include "testbench/run/task.h"

namespace tributary {
namespace {

constexpr std::size_t batch = 4096;

[[noreturn]] void refuse(const Task& task, int rank, std::uint64_t element, float value, const FixedPoint& fixed) {
  constexpr double largest = 32768;  // of the exact values of float32
  throw SetupError(task.job->algorithm + " with tofino.switchml.scaling=fixed: element " + std::to_string(element) +
                   " of rank " + std::to_string(rank) + " is " + print_real(value) + "; times the scale " +
                   print_real(fixed.scale()) + ", added up over " + std::to_string(task.job->ranks.size()) +
                   " workers, it can exceed 32 bits; legal: tofino.switchml.scale up to " +
                   print_real(std::max(1.0, std::floor(fixed.limit() / largest))) +
                   ", scaling=shared_exponent, or --no-data");
}

void check(const Task& task, int rank, const workload::DataSpec& data, const FixedPoint& fixed) {
  std::array<float, batch> values;
  std::array<std::int32_t, batch> encoded;
  const std::uint64_t count = task.size.value / sizeof(float);
  for (std::uint64_t first = 0; first < count; first += batch) {
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(batch, count - first));
    workload::fill(values.data(), n * sizeof(float), data, rank, first);
    if (fixed.encode(values.data(), n, encoded.data())) continue;
    for (std::size_t i = 0; i < n; ++i)
      if (!fixed.encode(&values[i], 1, encoded.data())) refuse(task, rank, first + i, values[i], fixed);
  }
}

/// Returns true if every exact value fits.
bool fits_all(const FixedPoint& fixed) {
  constexpr std::array<float, 2> ends{-32768, 32767};
  std::array<std::int32_t, 2> encoded;
  return fixed.encode(ends.data(), ends.size(), encoded.data());
}

}  // namespace

void check_fixed_scaling(const RunSpec& spec, const TofinoWorkerConfig& worker) {
  if (spec.data == DataMode::none) return;
  for (std::size_t number = 0; number < spec.messages(); number += spec.repeats())
    for (const Task& task : tasks_of(spec, number)) {
      const FixedPoint fixed(worker.scale, static_cast<unsigned>(task.job->ranks.size()));
      if (fits_all(fixed)) continue;
      for (std::size_t rank = 0; rank < task.job->ranks.size(); ++rank)
        check(task, static_cast<int>(rank), data_of(spec, task), fixed);
    }
}

}  // namespace tributary
