#include "testbench/test/harness/mode_check.h"

#include <catch2/catch.hpp>

#include "testbench/test/harness/run_specs.h"

namespace tributary {

std::vector<Run> check_modes(const RunSpec& spec) {
  const std::vector<Run> windowed = run_all(with_hashes(spec, SimulationMode::windowed));
  const std::vector<Run> event = run_all(with_hashes(spec, SimulationMode::event));
  CHECK(difference(windowed, event) == "");
  for (const Run& run : windowed) {
    INFO(run.row.size_bytes << " B: " << run.row.report);
    CHECK(run.row.status == Status::done);
    CHECK(run.row.wrong.has_value() == (spec.data != DataMode::none));
    CHECK(run.row.wrong.value_or(0) == 0);
    CHECK(run.hashes.trajectory != 0);
    CHECK(run.row.algbw_GBps() <= run.row.bound_GBps);
  }
  return windowed;
}

ResultRow check_block(const RunSpec& block, const RunSpec& model) {
  const std::vector<Run> right = run_all(with_hashes(model));
  CHECK(right.front().row.status == Status::done);
  for (const SimulationMode mode : {SimulationMode::windowed, SimulationMode::event})
    CHECK(difference(right, run_all(with_hashes(block, mode))) == "");
  return right.front().row;
}

}  // namespace tributary
