#pragma once
/// What `tributary schedule` prints, writes and draws of trees for GPUs that NVSwitches join (docs/schedules.md#switches).

#include <string>
#include <vector>

#include "testbench/collective/packing/tree_packing.h"
#include "testbench/collective/packing/weighted_trees.h"
#include "testbench/run/family.h"

namespace tributary {

struct SwitchReport {
  std::string topology;
  Method method;
  collective::TreeUse use = collective::TreeUse::allreduce;
  bool rooted = false;
  int root = 0;           ///< rank, where rooted
  std::vector<int> gpus;  ///< of the ranks: at least 2
  int links = 0;          ///< NVLinks of each GPU to the switches
};

/// Proves the trees: all of them together load no GPU's links, in either direction, beyond the rate that is printed.
std::string screen_text(const SwitchReport& report);
std::string tree_json(const SwitchReport& report);
/// A drawing for Graphviz: a cluster for each tree.
std::string tree_drawing(const SwitchReport& report);

/// What a collective moves in a unit of time over GPUs of one link each: the rate of trees, and the most that any method
/// without sums in switches can have. In links.
collective::Fraction switch_rate(const std::vector<collective::WeightedTree>& trees, collective::TreeUse use);
collective::Fraction switch_bound(collective::TreeUse use, int ranks);

}  // namespace tributary
