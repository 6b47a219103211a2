/// Iterations: a message repeated in one machine gives the same row each time, in every family, and the same as alone.
#include <catch2/catch.hpp>

#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/network_specs.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_iterations {
namespace {

/// Runs three iterations of each item; the first run of each item is the reference.
void check_alike(RunSpec spec) {
  spec = with_hashes(spec);
  const std::vector<Run> once = run_all(spec);
  spec.iterations = 3;
  const std::vector<Run> often = run_all(spec);
  REQUIRE(often.size() == 3 * once.size());
  for (std::size_t i = 0; i < often.size(); ++i) {
    INFO("row " << i);
    CHECK(often[i].row.status == Status::done);
    CHECK(often[i].row.wrong == 0);
    CHECK(often[i].row.tuned.empty());
    CHECK(difference(once[i / 3], often[i]) == "");
  }
}

RunSpec hosts(const std::string& platform, int count, const std::string& algorithm, const std::vector<Bytes>& sizes,
              const std::vector<std::string>& settings = {}) {
  RunSpec spec = collective_spec("allreduce", algorithm, first_gpus(count), sizes, settings);
  spec.platform = platform;
  return spec;
}

}  // namespace

TEST_CASE("iterations: machines of GPUs repeat exactly, with tables that overflow and random traffic",
          "[system][iterations]") {
  for (const char* algorithm : {"push", "ring"}) {
    INFO(algorithm);
    RunSpec spec = run_spec(algorithm, {0, 3, 4, 7, 8}, {4_KiB, 1000_B}, {"nvswitch.switch.reduction_table.bytes=128B"});
    check_alike(spec);
    spec.background_load = 0.2;
    check_alike(spec);
  }
}

TEST_CASE("iterations: networks of NICs repeat exactly", "[system][iterations]") {
  check_alike(network_spec("torus:4x4", "allreduce", "multitree", {20000_B}));
  check_alike(network_spec("mesh:2x2", "allreduce", "ring", {20000_B}));
}

TEST_CASE("iterations: hosts on Ethernet repeat exactly, with random losses of frames", "[system][iterations]") {
  check_alike(hosts("rack:4", 4, "netreduce", {400_KiB}, {"netreduce.link.loss_rate=0.001"}));
  check_alike(hosts("rack:4", 4, "ring", {40_KiB}));
}

TEST_CASE("iterations: hosts on a programmable switch repeat exactly", "[system][iterations]") {
  check_alike(hosts("tofino:4", 4, "switchml", {100_KiB}, {"tofino.switch.slots=64", "tofino.link.loss_rate=0.001"}));
  check_alike(hosts("tofino:4", 4, "atp", {100_KiB}, {"tofino.switch.slots=64", "tofino.atp.window=32"}));
}

TEST_CASE("iterations: concurrent jobs give a row for each job and iteration", "[system][iterations]") {
  RunSpec spec = run_spec("push", {0, 1, 2, 3}, {4_KiB});
  JobSpec pull = spec.jobs[0];
  pull.algorithm = "pull", pull.ranks = {8, 9, 10}, pull.start = 200_ns;
  spec.jobs.push_back(pull);
  spec.iterations = 2;
  const std::vector<Run> runs = run_all(with_hashes(spec));
  REQUIRE(runs.size() == 4);
  CHECK(difference(runs[0], runs[2]) == "");
  CHECK(difference(runs[1], runs[3]) == "");
  CHECK(runs[0].row.time != runs[1].row.time);
}

}  // namespace tributary::test_iterations
