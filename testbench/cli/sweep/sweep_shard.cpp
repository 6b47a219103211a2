#include "testbench/cli/sweep/sweep_shard.h"

#include <optional>

#include "testbench/cli/requests/option_text.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

std::size_t variable(const Environment& environment, const char* name) {
  const char* text = environment(name);
  if (text == nullptr) throw InputError(std::string("auto: ") + name + " is not set (legal: I/N)");
  return with_place(std::string("auto: ") + name, [&] { return parse_count_within(text, 0, ~std::uint32_t{0}); });
}

SweepShard checked(std::size_t number, std::size_t of, const std::string& what) {
  if (of == 0 || of > SweepShard::most || number >= of)
    throw InputError(what + " (legal: I/N, I from 0 to N-1, N from 1 to " + std::to_string(SweepShard::most) + ")");
  return {number, of};
}

std::optional<SweepShard> task_of_step(const Environment& environment) {
  for (const auto& [rank, size] :
       {std::pair("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), std::pair("SLURM_PROCID", "SLURM_STEP_NUM_TASKS")})
    if (environment(rank) != nullptr && environment(size) != nullptr)
      return checked(variable(environment, rank), variable(environment, size),
                     std::string("auto: ") + rank + "=" + environment(rank) + " of " + size + "=" + environment(size));
  return std::nullopt;
}

std::optional<SweepShard> job_of_array(const Environment& environment) {
  if (environment("SLURM_ARRAY_TASK_ID") == nullptr) return std::nullopt;
  const std::size_t id = variable(environment, "SLURM_ARRAY_TASK_ID"), least = variable(environment, "SLURM_ARRAY_TASK_MIN"),
                    step = environment("SLURM_ARRAY_TASK_STEP") ? variable(environment, "SLURM_ARRAY_TASK_STEP") : 1,
                    count = variable(environment, "SLURM_ARRAY_TASK_COUNT");
  const std::string what = "auto: task " + std::to_string(id) + " of an array of " + std::to_string(count) + " from " +
                           std::to_string(least) + " by " + std::to_string(step);
  if (step == 0 || id < least || (id - least) % step != 0)
    throw InputError(what + " is not an array of evenly spaced numbers (legal: I/N)");
  return checked((id - least) / step, count, what);
}

SweepShard shard_of_environment(const Environment& environment) {
  const auto task = task_of_step(environment), job = job_of_array(environment);
  if (!task && !job)
    throw InputError(
        "auto: this is not a task of srun, of mpirun or of a job array (legal: in such a task; I/N, I from 0 to N-1)");
  const SweepShard inner = task.value_or(SweepShard{}), outer = job.value_or(SweepShard{});
  return checked(outer.number * inner.of + inner.number, outer.of * inner.of, "auto: too many tasks");
}

}  // namespace

SweepShard parse_shard(const std::string& text, const Environment& environment) {
  if (text == "auto") return shard_of_environment(environment);
  const std::size_t slash = text.find('/');
  const std::string refused = "'" + text + "' is not a shard";
  SweepShard shard;
  try {
    if (slash == std::string::npos) throw InputError(refused);
    shard.number = parse_count_within(text.substr(0, slash), 0, SweepShard::most);
    shard.of = parse_count_within(text.substr(slash + 1), 0, SweepShard::most);
  } catch (const std::runtime_error&) {
    shard = {0, 0};
  }
  return checked(shard.number, shard.of, refused);
}

}  // namespace tributary
