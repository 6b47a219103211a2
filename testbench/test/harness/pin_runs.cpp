#include "testbench/test/harness/pin_runs.h"

#include <catch2/catch.hpp>

#include "testbench/test/harness/run_specs.h"

namespace tributary {

void check_pins(const RunSpec& pins, const RunSpec& model) {
  const std::vector<Run> right = run_all(with_hashes(model));
  for (const Run& run : right) CHECK(run.row.status == Status::done);
  for (const SimulationMode mode : {SimulationMode::windowed, SimulationMode::event}) {
    const std::vector<Run> runs = run_all(with_hashes(pins, mode));
    for (const Run& run : runs) {
      INFO(run.row.report);
      CHECK(run.row.status == Status::done);
    }
    CHECK(difference(right, runs) == "");
  }
}

}  // namespace tributary
