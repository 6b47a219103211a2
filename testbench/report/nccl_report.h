#pragma once

#include "testbench/interchange/nccl_tests/nccl_tests.h"
#include "testbench/report/output_spec.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// The results of a run as nccl-tests tells them. Written as a whole at the end; what has not finished is left out.
class NcclReport {
 public:
  /// Throws InputError, one line: several jobs at once, layers of a table, a collective that nccl-tests does not measure.
  NcclReport(const OutputSpec& output, const RunSpec& spec);

  void row(const ResultRow& row);
  /// Throws std::runtime_error when a file cannot be written.
  void finish() const;

 private:
  std::string text_, json_;  ///< files; empty: none
  bool reduces_ = false;
  int root_ = -1;
  std::uint64_t parts_ = 1;  ///< of a message: nccl-tests counts the elements of one
  nccl_tests::Report report_;
};

}  // namespace tributary
