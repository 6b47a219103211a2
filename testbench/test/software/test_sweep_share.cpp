#include <catch2/catch.hpp>
#include <map>

#include "testbench/cli/sweep/sweep_shard.h"
#include "testbench/workload/input_error.h"

namespace tributary::test_sweep_share {

using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

namespace {

using Variables = std::map<std::string, std::string>;

SweepShard shard(const std::string& text, const Variables& variables = {}) {
  return parse_shard(text, [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

/// `I/N` for --shard auto.
std::string automatic(const Variables& variables) {
  const SweepShard s = shard("auto", variables);
  return std::to_string(s.number) + "/" + std::to_string(s.of);
}

Variables array(const std::string& id, const std::string& least, const std::string& step, const std::string& count) {
  return {{"SLURM_ARRAY_TASK_ID", id},
          {"SLURM_ARRAY_TASK_MIN", least},
          {"SLURM_ARRAY_TASK_STEP", step},
          {"SLURM_ARRAY_TASK_COUNT", count}};
}

}  // namespace

TEST_CASE("shards: together they contain every point once, and differ by one point at most", "[pure][sweep]") {
  for (const std::size_t of : {1, 2, 3, 4, 7, 100})
    for (const std::size_t points : {0, 1, 5, 12, 97}) {
      std::size_t held = 0, least = points, most = 0;
      for (std::size_t number = 0; number < of; ++number) {
        const SweepShard s = shard(std::to_string(number) + "/" + std::to_string(of));
        std::size_t mine = 0;
        for (std::size_t point = 0; point < points; ++point) mine += s.holds(point) ? 1 : 0;
        held += mine, least = std::min(least, mine), most = std::max(most, mine);
      }
      for (std::size_t point = 0; point < points; ++point) {
        std::size_t holders = 0;
        for (std::size_t number = 0; number < of; ++number) holders += SweepShard{number, of}.holds(point) ? 1 : 0;
        REQUIRE(holders == 1);
      }
      CHECK(held == points);
      CHECK(most - least <= 1);
    }
  const SweepShard second = shard("1/4");
  CHECK(second.holds(1));
  CHECK(second.holds(5));
  CHECK_FALSE(second.holds(0));
  CHECK_FALSE(second.holds(4));
}

TEST_CASE("shards: bad shards are refused with the legal range", "[pure][sweep]") {
  CHECK(shard("0/4").number == 0);  // the first shard: ranks and --index count from 0
  CHECK(shard("3/4").number == 3);
  for (const std::string text : {"4/4", "5/4", "x", "", "/", "1/", "/4", "0/0", "-1/4", "1/-4", "1/4/2", "1.5/4", "1 / x",
                                 "0/1000001", "99999999999999999999/4", "AUTO"})
    CHECK_THROWS_WITH(shard(text),
                      Equals("'" + text + "' is not a shard (legal: I/N, I from 0 to N-1, N from 1 to 1000000)"));
}

TEST_CASE("shards: a task of srun or mpirun has its shard", "[pure][sweep]") {
  CHECK(automatic({{"SLURM_PROCID", "2"}, {"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_NTASKS", "8"}}) == "2/4");
  CHECK(automatic({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "3"}}) == "0/3");
  // Slurm starts mpirun's daemons as tasks of a separate step: the rank of MPI counts.
  CHECK(automatic({{"OMPI_COMM_WORLD_RANK", "5"},
                   {"OMPI_COMM_WORLD_SIZE", "6"},
                   {"SLURM_PROCID", "1"},
                   {"SLURM_STEP_NUM_TASKS", "2"}}) == "5/6");
  CHECK_THROWS_WITH(shard("auto"), Contains("auto: this is not a task of srun, of mpirun or of a job array"));
  // A script of sbatch -n 8, or a shell of salloc: the other seven tasks do not run.
  CHECK_THROWS_WITH(shard("auto", {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}}), Contains("auto: this is not a task"));
  CHECK_THROWS_WITH(shard("auto", {{"SLURM_PROCID", "4"}, {"SLURM_STEP_NUM_TASKS", "4"}}),
                    Contains("SLURM_PROCID=4 of SLURM_STEP_NUM_TASKS=4") && Contains("legal"));
  CHECK_THROWS_WITH(shard("auto", {{"SLURM_PROCID", "x"}, {"SLURM_STEP_NUM_TASKS", "4"}}), Contains("auto: SLURM_PROCID"));
}

TEST_CASE("shards: a task of a job array has its shard", "[pure][sweep]") {
  CHECK(automatic(array("0", "0", "1", "4")) == "0/4");
  CHECK(automatic(array("4", "1", "1", "4")) == "3/4");
  CHECK(automatic(array("14", "10", "2", "4")) == "2/4");
  CHECK(automatic({{"SLURM_ARRAY_TASK_ID", "2"}, {"SLURM_ARRAY_TASK_MIN", "1"}, {"SLURM_ARRAY_TASK_COUNT", "2"}}) == "1/2");
  Variables both = array("2", "1", "1", "3");  // three jobs of four tasks each are twelve shards
  both.insert({{"SLURM_PROCID", "3"}, {"SLURM_STEP_NUM_TASKS", "4"}});
  CHECK(automatic(both) == "7/12");
  CHECK_THROWS_WITH(shard("auto", array("7", "2", "1", "2")),
                    Contains("task 7 of an array of 2 from 2 by 1"));  // --array=2,7
  CHECK_THROWS_WITH(shard("auto", array("3", "2", "2", "2")), Contains("not an array of evenly spaced numbers"));
  CHECK_THROWS_WITH(shard("auto", array("1", "2", "1", "2")), Contains("legal: I/N"));
  CHECK_THROWS_WITH(shard("auto", array("1", "0", "0", "2")), Contains("not an array of evenly spaced numbers"));
  CHECK_THROWS_WITH(shard("auto", {{"SLURM_ARRAY_TASK_ID", "1"}}), Contains("SLURM_ARRAY_TASK_MIN is not set"));
}

}  // namespace tributary::test_sweep_share
