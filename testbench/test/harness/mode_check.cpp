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

}  // namespace tributary
