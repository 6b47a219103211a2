#pragma once
/// A shard of a sweep: the points that one of many tasks of a cluster runs.

#include <cstddef>
#include <functional>
#include <string>

namespace tributary {

/// Points `number`, `number + of`, `number + 2 of` and so on. Neighbours often cost about the same, so they go to different
/// shards.
struct SweepShard {
  static constexpr std::size_t most = 1000000;
  std::size_t number = 0;  ///< from 0 to `of` - 1, as ranks and `--index` count
  std::size_t of = 1;

  bool holds(std::size_t point) const { return point % of == number; }
};

/// Value of a variable of the environment; null when it is not set.
using Environment = std::function<const char*(const char*)>;

/// Parses `I/N` or `auto`, which takes the number of the task from the environment:
/// - Task of a step: Open MPI's `OMPI_COMM_WORLD_RANK` and `_SIZE`; else `SLURM_PROCID` and `SLURM_STEP_NUM_TASKS`, which
///   only srun sets. (`SLURM_NTASKS` is also set in a script without srun; it would leave points to tasks that do not run.)
/// - Job array: `SLURM_ARRAY_TASK_ID`, from `_MIN` by `_STEP`, of `_COUNT`. The steps of a job divide its shard.
/// Throws InputError if the text is not a shard, no task is found, or the array has uneven numbers.
SweepShard parse_shard(const std::string& text, const Environment& environment);

}  // namespace tributary
