#pragma once
/// Runs of hosts on Ethernet in which queues of switches fill up.

#include <string>
#include <vector>

#include "testbench/test/harness/netreduce_runs.h"

namespace tributary {

/// A machine, and the host to which the others send datagrams at a fifth of the line rate each during an all-reduce of
/// all hosts by NetReduce. Together they exceed the rate of that host's port.
struct Incast {
  const char* machine;
  int hosts, target;
};
const std::vector<Incast>& incasts();
constexpr double incast_load = 0.2;

/// Settings: switches mark frames from a queue length of 20 kB, and senders react to the marks.
extern const std::vector<std::string> dcqcn;
/// Concatenates both lists.
std::vector<std::string> with(std::vector<std::string> settings, const std::vector<std::string>& more);

RunSpec incast_spec(const Incast& incast, Bytes size, const std::vector<std::string>& settings);

/// Checks that sums are right, that each packet was accepted once, that all datagrams were delivered or dropped, and
/// that the counts of the switches add up.
void check_healed(const Incast& incast, Bytes size, const ResultRow& row);

/// Returns the number of dropped packets that are not datagrams of the background.
std::uint64_t roce_drops(const ResultRow& row);

}  // namespace tributary
