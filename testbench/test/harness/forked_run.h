#pragma once
/// Runs in processes of their own, so that one test can compare several elaborations: SystemC elaborates once per
/// process.

#include <functional>
#include <string>
#include <vector>

#include "testbench/run/session.h"

namespace tributary {

/// The results of one message, and the fingerprints of the links' traffic (RunSpec::trajectory).
struct Run {
  ResultRow row;
  Hashes hashes;
  std::vector<Tick> times = {};  ///< ready, begin, start and end of each task of a training step
};

/// Returns the result of `work` in a child process. Throws std::runtime_error with the child's error or the cause of
/// its end. Call it before this process has elaborated anything.
std::string in_child(const std::function<std::string()>& work);

/// Returns the runs that `work` makes in a child process.
std::vector<Run> runs_in_child(const std::function<std::vector<Run>()>& work);

/// Elaborates in a child process and runs all items of `spec` there in order; concurrent jobs yield one run each. Throws
/// std::runtime_error if an observer notes an error.
std::vector<Run> run_all(const RunSpec& spec);
/// Like run_all(), for a single item.
Run run_one(const RunSpec& spec);

/// Describes where two runs differ in anything simulated (times, hashes, counters, bytes of each link, report); empty
/// if nowhere.
std::string difference(const Run& a, const Run& b);
std::string difference(const std::vector<Run>& a, const std::vector<Run>& b);

}  // namespace tributary
