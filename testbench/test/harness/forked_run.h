#pragma once
/// Runs in a process of their own, so that one test can compare several elaborations: SystemC elaborates once per process.

#include <functional>
#include <string>
#include <vector>

#include "testbench/run/session.h"

namespace tributary {

/// What one message yields, and the fingerprints of the links' traffic (RunSpec::trajectory).
struct Run {
  ResultRow row;
  Hashes hashes;
};

/// What `work` returns in a child process. Throws std::runtime_error with the child's error, or how it ended. Call it
/// before this process has elaborated anything.
std::string in_child(const std::function<std::string()>& work);

/// Elaborates in a child and runs all items of `spec` there, one after another; several jobs at once give a run each.
std::vector<Run> run_all(const RunSpec& spec);
/// The same of a single item.
Run run_one(const RunSpec& spec);

/// Where two runs differ in anything simulated (times, hashes, counters, bytes of each link, report); empty when nowhere.
std::string difference(const Run& a, const Run& b);
std::string difference(const std::vector<Run>& a, const std::vector<Run>& b);

}  // namespace tributary
