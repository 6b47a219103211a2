#pragma once
/// All-reduce times by the equations (1) to (6) of Liu et al. (ASPLOS 2023): a time per step, and bandwidths within and
/// between machines. Misprints of the paper: docs/systems/netreduce.md#equation-2.

namespace tributary::collective {

struct MachineCost {
  int gpus = 32;               ///< P, in all machines; a multiple of `gpus_per_machine`
  int gpus_per_machine = 8;    ///< n
  double intra_rate = 150e9;   ///< Bi, bytes per second
  double inter_rate = 12.5e9;  ///< Be, bytes per second
  double step_time = 1e-6;     ///< alpha, seconds
};

/// Terms of a time: steps x alpha + seconds_per_byte x M.
struct CostTerms {
  double steps = 0;
  double seconds_per_byte = 0;

  double seconds(const MachineCost& machine, double bytes) const {
    return steps * machine.step_time + seconds_per_byte * bytes;
  }
};

/// Eq. (1): one ring of all GPUs.
CostTerms flat_ring_cost(const MachineCost& machine);
/// Eq. (2), combined form: reduce to a master in each machine, ring of the masters, broadcast.
CostTerms tencent_cost(const MachineCost& machine);
/// Eq. (3): reduce-scatter in each machine, one NetReduce ring per GPU of a machine, all-gather.
CostTerms parallel_netreduce_cost(const MachineCost& machine);
/// Eqs. (4) and (5), as printed: extra time of `tencent` and of the flat ring over parallel NetReduce.
CostTerms tencent_loss(const MachineCost& machine);
CostTerms flat_ring_loss(const MachineCost& machine);

/// Eq. (6): Bi/Be from which parallel NetReduce beats the flat ring, sufficient for P > n >= 2. Infinite for P = 2.
double sufficient_rate_ratio(const MachineCost& machine);
/// Necessary and sufficient Bi/Be for large M: 2 (n-1) P / (n (P-2)).
double exact_rate_ratio(const MachineCost& machine);

}  // namespace tributary::collective
