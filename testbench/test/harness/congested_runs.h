#pragma once
/// Runs of hosts on Ethernet in which queues of switches fill up.

#include <string>
#include <vector>

#include "testbench/test/harness/netreduce_runs.h"

namespace tributary {

/// The machine and the host into which the others send datagrams, at a fifth of the line each, beside an all-reduce of all
/// hosts by NetReduce: together more than the port of that host carries.
struct Incast {
  const char* machine;
  int hosts, target;
};
const std::vector<Incast>& incasts();
constexpr double incast_load = 0.2;

/// Marks from 20 kB in a queue on, and senders that heed them.
extern const std::vector<std::string> dcqcn;
/// First these, then those.
std::vector<std::string> with(std::vector<std::string> settings, const std::vector<std::string>& more);

RunSpec incast_spec(const Incast& incast, Bytes size, const std::vector<std::string>& settings);

/// Sums are right, each packet was accepted once, all datagrams have come or were dropped, and switches' counts add up.
void check_healed(const Incast& incast, Bytes size, const ResultRow& row);

/// Drops of packets that are no datagrams of the background.
std::uint64_t roce_drops(const ResultRow& row);

}  // namespace tributary
