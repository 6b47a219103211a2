#pragma once
/// Results of shadows and records of a run.

#include "testbench/report/run_report.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Completes the records, writes the last requests and a waveform of the first difference of each block, and adds the
/// shadows to the report. Unless `quiet`, prints a line for each record. Throws OutputError.
void report_block_checks(const RunSpec& spec, bool quiet, RunReport& report);

}  // namespace tributary
