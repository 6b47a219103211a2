#pragma once
/// Times of an all-reduce as Liu et al. (ASPLOS 2023, Eqs. (1) to (6)) give them: a time for each step, and bandwidths
/// within machines and between them. What is misprinted there: docs/systems/netreduce.md#equation-2.

namespace tributary::collective {

struct MachineCost {
  int gpus = 32;               ///< P, of all machines; a multiple of `gpus_per_machine`
  int gpus_per_machine = 8;    ///< n
  double intra_rate = 150e9;   ///< Bi, bytes per second
  double inter_rate = 12.5e9;  ///< Be, bytes per second
  double step_time = 1e-6;     ///< alpha, seconds
};

/// A time: steps x alpha + seconds_per_byte x M.
struct CostTerms {
  double steps = 0;
  double seconds_per_byte = 0;

  double seconds(const MachineCost& machine, double bytes) const {
    return steps * machine.step_time + seconds_per_byte * bytes;
  }
};

/// (1): one ring of all GPUs.
CostTerms flat_ring_cost(const MachineCost& machine);
/// (2), the combined form: reduce to a master in each machine, ring of the masters, broadcast.
CostTerms tencent_cost(const MachineCost& machine);
/// (3): reduce-scatter in each machine, a ring of NetReduce for each GPU of a machine, all-gather.
CostTerms parallel_netreduce_cost(const MachineCost& machine);
/// (4) and (5), as printed: what `tencent` and the flat ring take longer than parallel NetReduce.
CostTerms tencent_loss(const MachineCost& machine);
CostTerms flat_ring_loss(const MachineCost& machine);

/// (6): from this Bi/Be on parallel NetReduce beats the flat ring, for P > n >= 2. Infinite for P = 2.
double sufficient_rate_ratio(const MachineCost& machine);
/// The same, necessary and sufficient, when M is large: 2 (n-1) P / (n (P-2)).
double exact_rate_ratio(const MachineCost& machine);

}  // namespace tributary::collective
