#pragma once
/// Parts of an iteration by need, and their differences between algorithms.

#include <ostream>

#include "testbench/report/train_report.h"

namespace tributary {

/// A part of the time of an iteration: compute, optimizer, one of each form of transfers that the engine waits for, bubble.
/// The sum of all parts is the time.
struct IterationPart {
  std::string name;
  Tick time = 0;
};
/// Returns all parts, also of no time.
std::vector<IterationPart> parts_of(const training::IterationReport& iteration);

/// Returns true if the estimates of two algorithms do not tell which is faster: their spreads overlap.
bool uncertain_order(const AlgorithmStep& a, const AlgorithmStep& b);
/// Returns the summary of a result.
AlgorithmStep summary_of(const TrainResult& result);

/// Prints the parts of the last iteration of a distributed model, its rate on a rank, and its use of the peak.
void print_parts(std::ostream& out, const TrainResult& result);
/// Prints a row for each algorithm, with its differences from the requested one.
void print_against(std::ostream& out, const TrainResult& result);

}  // namespace tributary
