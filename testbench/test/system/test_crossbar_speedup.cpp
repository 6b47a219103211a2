// The cost of a crossbar without speedup (Klenk et al., ISCA 2020, IV-E: S = 2 (p - 1) / p is needed).
#include <catch2/catch.hpp>

#include "testbench/test/harness/run_specs.h"
#include "testbench/test/harness/small_machine.h"

namespace tributary::test_crossbar_speedup {
namespace {

RunSpec push_with(const std::string& speedup) {
  return run_spec("push", first_gpus(16), {2_MiB}, {"nvswitch.switch.crossbar.speedup=" + speedup});
}

double time_of(SmallSystem& machine) {
  machine.run(2_MiB, 1, 1);
  return static_cast<double>(machine.completion.last() - machine.t0);
}

}  // namespace

TEST_CASE("crossbar: one switch of 16 GPUs without speedup has about half of the bandwidth", "[system][crossbar]") {
  SmallSystem usual("usual", one_board(16, 6), push_with("2")), narrow("narrow", one_board(16, 6), push_with("1"));
  const double ratio = time_of(usual) / time_of(narrow);
  // At most 16/30 = 0.53 in the steady state; start-up and drain raise it a little.
  CHECK(ratio > 0.45);
  CHECK(ratio < 0.60);
}

}  // namespace tributary::test_crossbar_speedup
