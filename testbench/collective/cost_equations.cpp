#include "testbench/collective/cost_equations.h"

#include <cmath>

namespace tributary::collective {
namespace {

/// Common denominator of the equations: n P Bi Be.
double denominator(const MachineCost& m) { return 1.0 * m.gpus_per_machine * m.gpus * m.intra_rate * m.inter_rate; }

}  // namespace

CostTerms flat_ring_cost(const MachineCost& m) {
  const double P = m.gpus;
  return {2 * (P - 1), 2 * (P - 1) / P / m.inter_rate};
}

CostTerms tencent_cost(const MachineCost& m) {
  const double P = m.gpus, n = m.gpus_per_machine;
  return {(n * n + 3 * n * std::log2(n) - 3 * n + 2 * P) / n,
          (4 * (n - 1) * P * m.inter_rate + 2 * (P - n) * n * m.intra_rate) / denominator(m)};
}

CostTerms parallel_netreduce_cost(const MachineCost& m) {
  const double n = m.gpus_per_machine;
  return {2 * n - 1, (2 * (n - 1) * m.inter_rate + n * m.intra_rate) / (n * m.intra_rate * m.inter_rate)};
}

CostTerms tencent_loss(const MachineCost& m) {
  const double P = m.gpus, n = m.gpus_per_machine;
  return {2 * P / n + 3 * std::log2(n) - n - 2,
          ((P - 2 * n) * n * m.intra_rate + 2 * (n - 1) * P * m.inter_rate) / denominator(m)};
}

CostTerms flat_ring_loss(const MachineCost& m) {
  const double P = m.gpus, n = m.gpus_per_machine;
  return {2 * P - 2 * n - 1, ((P - 2) * n * m.intra_rate - 2 * (n - 1) * P * m.inter_rate) / denominator(m)};
}

double sufficient_rate_ratio(const MachineCost& m) { return 2.0 * m.gpus / (m.gpus - 2); }

double exact_rate_ratio(const MachineCost& m) {
  const double P = m.gpus, n = m.gpus_per_machine;
  return 2 * (n - 1) * P / (n * (P - 2));
}

}  // namespace tributary::collective
