// The README's example: the table of every port of a DGX-2 replaced from outside.
#include <catch2/catch.hpp>

#include "modules/nvswitch/associative_reduction_table.h"
#include "platforms/nvswitch/machine.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/test/harness/small_machine.h"

namespace tributary::test_swap_example {
namespace {

/// The table of the paper with pipelined adders, whose sums leave 20 ns later.
class SlowTable : public AssociativeReductionTable {
 public:
  using AssociativeReductionTable::AssociativeReductionTable;

 private:
  void b_transport(TableTransaction& t, sc_core::sc_time& delay) override {
    core.access(t);
    if (t.command == TableTransaction::Command::push) delay += sc_core::sc_time(20, sc_core::SC_NS);
  }
};

std::unique_ptr<ReductionTableModule> make_slow_table(const char* name, const ReductionTableConfig& config) {
  return std::make_unique<SlowTable>(name, config);
}

}  // namespace

TEST_CASE("swap example: slower adders at every port of a DGX-2 add their latency once", "[system][swap_example]") {
  const RunSpec spec = run_spec("push", first_gpus(16), {});
  SmallSystem ours("ours", machine("dgx2"), spec);
  SmallSystem slow("slow", machine("dgx2"), spec, make_slow_table);
  ours.run(8_KiB, 1, 1);
  slow.run(8_KiB, 1, 1);  // every element is checked
  const Tick longer = (slow.completion.last() - slow.t0) - (ours.completion.last() - ours.t0);
  // Each port has one block here, whose sum leaves 20 ns later; its copies cross among others in another order.
  CHECK(longer > 0);
  CHECK(longer < 20'000 + 16 * 2'880);  // ps: a copy crosses in 2.88 ns
}

}  // namespace tributary::test_swap_example
