#pragma once
/// Text, JSON and drawing of `tributary schedule` for GPUs that NVSwitches join (docs/schedules.md#switches).

#include <string>
#include <vector>

#include "testbench/collective/packing/tree_packing.h"
#include "testbench/collective/packing/weighted_trees.h"
#include "testbench/run/family.h"

namespace tributary {

struct SwitchReport {
  std::string topology;
  Algorithm algorithm;
  collective::TreeUse use = collective::TreeUse::allreduce;
  bool rooted = false;
  int root = 0;           ///< rank, if rooted
  std::vector<int> gpus;  ///< [rank], at least 2
  int links = 0;          ///< NVLinks of each GPU to the switches
};

/// Proves the schedule of the trees. The printed rate follows from the GPU whose links carry the most in one direction.
std::string screen_text(const SwitchReport& report);
std::string tree_json(const SwitchReport& report);
/// Returns a drawing for Graphviz with a cluster for each tree.
std::string tree_drawing(const SwitchReport& report);

/// Return rates of a collective over GPUs that have one link each, in links: the rate of the trees, and the highest rate of
/// any algorithm that does not add in switches.
collective::Fraction switch_rate(const std::vector<collective::WeightedTree>& trees, collective::TreeUse use);
collective::Fraction switch_bound(collective::TreeUse use, int ranks);

}  // namespace tributary
