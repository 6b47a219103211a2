/// Ranks that start late (docs/jobs.md#late-ranks), on every family.
#include <catch2/catch.hpp>

#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/netreduce_runs.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_skew {
namespace {

RunSpec spec_of(const std::string& platform, int ranks, const std::string& algorithm, Bytes size, const std::string& skew) {
  RunSpec spec = run_spec(algorithm, first_gpus(ranks), {size});
  spec.platform = platform;
  spec.jobs.front().skew = parse_skew(skew, static_cast<std::size_t>(ranks), 1000_ms);
  return spec;
}

}  // namespace

TEST_CASE("skew: late ranks change no result, on every family and in both modes", "[system][jobs]") {
  struct Case {
    const char *platform, *algorithm;
    int ranks;
  };
  for (const Case& c : std::vector<Case>{{"dgx2", "push", 4},
                                         {"dgx2", "pull", 4},
                                         {"dgx2", "ring", 4},
                                         {"dgx2", "nccl", 2},
                                         {"torus:2x2", "multitree", 4},
                                         {"torus:2x2", "ring", 4},
                                         {"dgx1v", "blink", 4},
                                         {"dgx1v", "nccl", 4},
                                         {"rack:4", "netreduce", 4},
                                         {"spine_leaf:2x2", "netreduce", 4},
                                         {"rack:4", "halving_doubling", 4},
                                         {"rack:5", "parameter_server", 4},
                                         {"rack:2x2", "parallel_netreduce", 4},
                                         {"rack:2x2", "tencent", 4},
                                         {"tofino:4", "switchml", 4},
                                         {"tofino:4", "atp", 4}}) {
    INFO(c.platform << " " << c.algorithm);
    for (const char* skew : {"30us", "0us,0us,20us,0us"}) {
      if (c.ranks != 4 && std::string(skew) != "30us") continue;
      const RunSpec spec = spec_of(c.platform, c.ranks, c.algorithm, 16_KiB, skew);
      for (const Run& run : check_modes(spec)) CHECK(run.row.time >= spec.jobs.front().skew.delay(2, spec.seed, 0, 0).value);
    }
  }
}

// A sender sends its window again after 100 us, which needs up to 30 us, and gives up after 7 retries.
TEST_CASE("skew: senders of NetReduce that are early retransmit, and give up", "[system][jobs][netreduce]") {
  const ResultRow prompt = run_with_both(spec_of("rack:4", 4, "netreduce", 1_MiB, "0us,10us,20us,90us"));
  CHECK(prompt.status == Status::done);
  CHECK(count_of(prompt, "nic.timeouts") == 0);
  const ResultRow late = run_with_both(spec_of("rack:4", 4, "netreduce", 1_MiB, "0us,0us,0us,350us"));
  CHECK(late.status == Status::done);
  CHECK(count_of(late, "nic.timeouts") >= 3 * 3);
  CHECK(late.time > 350'000'000);
  const ResultRow too_late = run_with_both(spec_of("rack:4", 4, "netreduce", 1_MiB, "0us,0us,0us,1100us"));
  CHECK(too_late.status == Status::gave_up);
}

TEST_CASE("skew: each iteration has delays of its own", "[system][jobs]") {
  RunSpec spec = without_data(spec_of("rack:4", 4, "netreduce", 64_KiB, "50us"));
  spec.iterations = 3;
  const std::vector<Run> runs = run_all(spec);
  REQUIRE(runs.size() == 3);
  CHECK((runs[0].row.time != runs[1].row.time && runs[1].row.time != runs[2].row.time));
}

}  // namespace tributary::test_skew
