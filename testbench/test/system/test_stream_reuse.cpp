/// Two trees over one pair of GPUs: the arbitration of its links (Wang et al., Fig. 12; docs/systems/blink.md#codegen).
#include <catch2/catch.hpp>

#include "testbench/family/blink/parameters.h"
#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_stream_reuse {
namespace {

/// Both trees use the link from 0 to 3 at the same depth, and links of their own beyond it.
double rate(const std::string& arbitration, const std::string& reuse) {
  RunSpec spec = collective_spec("broadcast", "blink", {0, 1, 2, 3}, {bytes(200'000'000)},
                                 {"blink.chunk=4MB", "blink.trees=0>3>2>1 / 0>3>1>2",
                                  "blink.copy.arbitration=" + arbitration, "blink.stream_reuse=" + reuse});
  spec.platform = "dgx1v";
  spec.jobs.front().root = 0;
  return run_one(without_data(spec)).row.algbw_GBps();
}

}  // namespace

TEST_CASE("stream reuse: it helps when one of two trees starves the other", "[system][blink]") {
  const double fair = rate("in_turn", "false");
  // The second tree's chunks leave after all of the first: its last hops follow, each of one link.
  CHECK(rate("sticky", "false") < 0.75 * fair);
  CHECK(rate("sticky", "true") >= 0.95 * fair);
  // In one stream there is nothing to arbitrate.
  CHECK(rate("first", "true") == rate("sticky", "true"));
  CHECK(rate("in_turn", "true") == rate("sticky", "true"));
}

}  // namespace tributary::test_stream_reuse
