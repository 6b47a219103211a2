/// Conservation of sums and operands in the counts of an all-reduce (docs/energy.md#actions).
#include <catch2/catch.hpp>

#include "testbench/run/energy/conservation.h"
#include "testbench/run/run_spec.h"

namespace tributary::test_energy_conservation {
namespace {

using Catch::Matchers::Contains;
using Kind = Action::Kind;

/// Four ranks that add 100 elements of 4 B: 300 sums, 1600 B of operands.
JobSpec job(const std::string& collective = "allreduce") {
  JobSpec four;
  four.collective = collective;
  four.ranks = {0, 1, 2, 3};
  return four;
}
ResultRow row() {
  ResultRow all;
  all.count = 100;
  all.size_bytes = 400;
  return all;
}
/// Sums at two places, and bytes of memory.
EnergyUse use(double in_tables, double in_gpus, double memory_bytes) {
  EnergyUse made;
  made.actions = {{EnergyPart::adders, "switch.adder", Kind::add, in_tables},
                  {EnergyPart::adders, "gpu.adder", Kind::add, in_gpus},
                  {EnergyPart::memory, "gpu.memory", Kind::bit, 8 * memory_bytes, "energy.memory.bit"}};
  return made;
}

}  // namespace

TEST_CASE("conservation: sums of all places together are those of an all-reduce", "[pure][energy]") {
  CHECK(conservation_fault(use(200, 100, 1600), job(), row()).empty());
  CHECK(conservation_fault(use(300, 0, 1600), job(), row()).empty());
  CHECK(conservation_fault(use(320, 0, 3200), job(), row()).empty());  // padding
  CHECK_THAT(conservation_fault(use(200, 99, 1600), job(), row()), Contains("299 sums, an all-reduce needs 300"));
  CHECK(conservation_fault(use(0, 0, 0), job("allgather"), row()).empty());
}

TEST_CASE("conservation: memory is read for all operands", "[pure][energy]") {
  CHECK_THAT(conservation_fault(use(300, 0, 1599), job(), row()), Contains("memory moves 1599 B, the operands have 1600 B"));
  JobSpec alone = job();
  alone.ranks = {0};
  CHECK(conservation_fault(use(0, 0, 0), alone, row()).empty());
}

TEST_CASE("conservation: counts that a result lacks are not checked", "[pure][energy]") {
  EnergyUse old = use(0, 0, 0);
  old.not_included = {"optics", "counter gpu.added_elements"};
  CHECK(conservation_fault(old, job(), row()).empty());
  old.not_included = {"optics"};
  CHECK_FALSE(conservation_fault(old, job(), row()).empty());
}

}  // namespace tributary::test_energy_conservation
