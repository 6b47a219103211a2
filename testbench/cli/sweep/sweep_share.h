#pragma once
/// A share of a sweep's points, for machines that run many tasks of one command.

#include <cstddef>
#include <functional>
#include <string>

namespace tributary {

/// Points `number`, `number + of`, `number + 2 of` and so on: neighbours, which often cost alike, go to different shares.
struct SweepShare {
  static constexpr std::size_t most = 1000000;
  std::size_t number = 0;  ///< from 0 to `of` - 1, as ranks and `--index` count
  std::size_t of = 1;

  bool holds(std::size_t point) const { return point % of == number; }
};

/// Value of a variable of the environment; null when it is not set.
using Environment = std::function<const char*(const char*)>;

/// `I/N`, or `auto`: the task that the environment tells of.
/// - Task of a step: Open MPI's `OMPI_COMM_WORLD_RANK` and `_SIZE`; else `SLURM_PROCID` and `SLURM_STEP_NUM_TASKS`, which
///   srun alone sets (`SLURM_NTASKS` stands in a script without srun, too, and would leave points to tasks that do not run).
/// - Job array: `SLURM_ARRAY_TASK_ID`, from `_MIN` by `_STEP`, of `_COUNT`. Its steps share the share of their job.
/// Throws InputError: not a share, no task, or an array of uneven numbers.
SweepShare parse_share(const std::string& text, const Environment& environment);

}  // namespace tributary
