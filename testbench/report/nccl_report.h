#pragma once
/// NcclReport: writes the results of a run in the format of nccl-tests.

#include "testbench/interchange/nccl_tests/nccl_tests.h"
#include "testbench/report/output_spec.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Written once at the end; unfinished rows are omitted.
class NcclReport {
 public:
  /// Throws InputError (one line) for several jobs, the layers of a table, or a collective that nccl-tests does not
  /// measure.
  NcclReport(const OutputSpec& output, const RunSpec& spec);

  void row(const ResultRow& row);
  /// Writes the files. Throws std::runtime_error if a file cannot be written.
  void finish() const;

 private:
  std::string text_, json_;  ///< file names; empty: none
  bool reduces_ = false;
  int root_ = -1;
  std::uint64_t parts_ = 1;  ///< number of parts of a message; nccl-tests counts the elements of one part
  nccl_tests::Report report_;
};

}  // namespace tributary
