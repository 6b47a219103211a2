#pragma once
/// StoredRun: a run as its result file holds it, with what its energy needs.

#include <string>
#include <vector>

#include "testbench/run/run_spec.h"

namespace tributary {

struct StoredRun {
  std::string file;
  RunSpec spec;
  RunParameters params;
  std::vector<ResultRow> rows;  ///< finished rows
};

/// Reads a file of `run --json`; parameters that it lacks keep their defaults. Throws InputError, one line, if it is no such
/// file, or has several jobs.
StoredRun read_stored_run(const std::string& file);

}  // namespace tributary
