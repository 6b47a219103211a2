// Arbiters of crossbars as modules with pins: equal to the model's own to the picosecond, in both modes
// (docs/rtl.md#pins-in-the-time-of-a-call).
#include <catch2/catch.hpp>

#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/pinned_arbiter.h"
#include "testbench/test/harness/pinned_block.h"
#include "testbench/test/harness/pinned_table.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_pins_of_arbiters {

using Catch::Matchers::Contains;

namespace {

const char* const everywhere = "*";
const char* const one_switch = "*.switch0_2.arbiter";

RunSpec with_arbiters(const RunSpec& spec, const char* places, bool registered = false,
                      ArbiterFault fault = ArbiterFault::none) {
  return with_block(spec, "arbiter", maker<PinnedArbiter>(registered, fault), "REQUESTERS=48", places);
}

}  // namespace

TEST_CASE("pins of an arbiter: the packets of the model's round robin", "[system][pins]") {
  const RunSpec spec = run_spec("push", first_gpus(16), {16_KiB});
  check_block(with_arbiters(spec, one_switch), spec);
  check_block(with_arbiters(spec, everywhere), spec);
  const RunSpec pull = run_spec("pull", first_gpus(16), {8_KiB}, {"nvswitch.switch.replication=crossbar"});
  check_block(with_arbiters(pull, everywhere), pull);
  const RunSpec tight = run_spec("push", first_gpus(16), {16_KiB}, {"nvswitch.switch.output_queue=288B"});
  check_block(with_arbiters(tight, everywhere), tight);
}

TEST_CASE("pins of an arbiter: a register is the time of arbitration", "[system][pins]") {
  const RunSpec spec = run_spec("push", first_gpus(16), {16_KiB}, {"nvswitch.switch.crossbar.arbitration=0.32ns"});
  check_block(with_arbiters(spec, everywhere, true), spec);
  const RunSpec at_once = run_spec("push", first_gpus(16), {16_KiB});
  CHECK_THAT(report_of_wrong_block(with_arbiters(at_once, one_switch, true)),
             Contains("dgx2.switch0_2.arbiter breaks the rule `answer`: grants 1 clocks after the requests (legal: 0"));
}

TEST_CASE("pins of an arbiter: wrong grants are named", "[system][pins]") {
  const RunSpec spec = run_spec("push", first_gpus(16), {4_KiB});
  CHECK_THAT(report_of_wrong_block(with_arbiters(spec, one_switch, false, ArbiterFault::other)),
             Contains("dgx2.switch0_2.arbiter breaks the rule `answer`: grants output"));
  CHECK_THAT(report_of_wrong_block(with_arbiters(spec, one_switch, false, ArbiterFault::silent)),
             Contains("dgx2.switch0_2.arbiter breaks the rule `patience`: no answer to requests for output"));
}

TEST_CASE("pins of an arbiter: too few requesters are refused", "[system][pins]") {
  const RunSpec spec = run_spec("push", first_gpus(16), {4_KiB});
  CHECK_THAT(refusal(with_block(spec, "arbiter", maker<PinnedArbiter>(), "REQUESTERS=12", one_switch)),
             Contains("switch0_2.arbiter.unit: pin `s_req` has another width than 12 bits"));
}

TEST_CASE("pins of tables and arbiters together", "[system][pins]") {
  const RunSpec spec =
      run_spec("push", first_gpus(16), {16_KiB},
               {"nvswitch.switch.reduction_table.add_cycles=1", "nvswitch.switch.reduction_table.bytes=256B"});
  const RunSpec tables = with_block(spec, "reduction_table", maker<PinnedTable>(2u), "ENTRIES=2", everywhere);
  check_block(with_arbiters(tables, everywhere), spec);
}

}  // namespace tributary::test_pins_of_arbiters
