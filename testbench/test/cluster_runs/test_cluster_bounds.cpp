/// All-reduces of 64 MiB on clusters by packets, against bounds by hand.
#include <catch2/catch.hpp>
#include <string>

#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_cluster_bounds {

TEST_CASE("cluster bounds: 64 MiB take the time of the busiest link and the latencies of a pipeline", "[.slow]") {
  struct Row {
    const char* platform;
    int gpus;
    const char* algorithm;
    double bound;  // bound of the busiest link, by hand [us]
    int steps;     // between the servers
  };
  // NVLinks carry 128 of 160 B, and by pull (144 + 32 (G-1)/G)/128 B for each byte; NICs carry 4096 of 4178 B. m servers
  // take 2 (m-1) steps by rings and 2 ceil(log2 m) by trees.
  const Row row =
      GENERATE(Row{"cluster:8xh100", 64, "pull_netreduce", 200.4, 1}, Row{"cluster:8xh100", 64, "pull_ring", 299.5, 14},
               Row{"cluster:8xh100", 64, "pull_tree", 342.3, 6}, Row{"cluster:8xh100", 64, "ring_ring", 326.2, 14},
               Row{"cluster:4xa100", 32, "ring_ring", 513.4, 6}, Row{"cluster:4xdgx2", 64, "pull_netreduce", 684.5, 1},
               Row{"cluster:4xdgx2", 64, "pull_ring", 1026.8, 6});
  INFO(row.platform << " " << row.algorithm);
  RunSpec spec = without_data(run_spec(row.algorithm, first_gpus(row.gpus), {64_MiB}));
  spec.platform = row.platform;
  const double us = static_cast<double>(run_one(spec).row.time) / 1e6;
  CHECK(us >= 0.998 * row.bound);
  CHECK(us <= 1.15 * row.bound + (2 + row.steps) * 8);
}

}  // namespace tributary::test_cluster_bounds
