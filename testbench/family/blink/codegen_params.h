#pragma once
/// Parameters of Blink's software: TreeGen and CodeGen (docs/systems/blink.md).

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/parameters.h"
#include "modules/base/units.h"
#include "platforms/tree_phases.h"
#include "testbench/collective/packing/tree_generator.h"
#include "testbench/family/blink/given_trees.h"

namespace tributary {

/// The finest weights that trees of an all-reduce are tried with.
enum class TreeWeights : std::uint8_t { whole, halves, quarters, eighths, any };
/// What is preferred among trees of an all-reduce that are as fast.
enum class TreePreference : std::uint8_t { fewest, shallow };
/// Where trees of an all-reduce turn.
enum class TreeRoots : std::uint8_t { centre, common };

template <>
struct EnumNames<TreeWeights> {
  static const std::vector<std::pair<TreeWeights, std::string>>& names() {
    static const std::vector<std::pair<TreeWeights, std::string>> n{{TreeWeights::whole, "whole"},
                                                                   {TreeWeights::halves, "halves"},
                                                                   {TreeWeights::quarters, "quarters"},
                                                                   {TreeWeights::eighths, "eighths"},
                                                                   {TreeWeights::any, "any"}};
    return n;
  }
};
template <>
struct EnumNames<TreePreference> {
  static const std::vector<std::pair<TreePreference, std::string>>& names() {
    static const std::vector<std::pair<TreePreference, std::string>> n{{TreePreference::fewest, "fewest"},
                                                                      {TreePreference::shallow, "shallow"}};
    return n;
  }
};
template <>
struct EnumNames<TreeRoots> {
  static const std::vector<std::pair<TreeRoots, std::string>>& names() {
    static const std::vector<std::pair<TreeRoots, std::string>> n{{TreeRoots::centre, "centre"},
                                                                 {TreeRoots::common, "common"}};
    return n;
  }
};

struct TreegenParams {
  double epsilon = 0.05;
  double threshold = 0.05;
  TreeWeights steps = TreeWeights::eighths;
  TreePreference prefer = TreePreference::fewest;
  TreeRoots root = TreeRoots::centre;

  collective::TreeOptions options() const {
    constexpr std::int64_t finest[] = {1, 2, 4, 8, 0};
    return {epsilon, threshold, finest[static_cast<std::size_t>(steps)], prefer == TreePreference::shallow,
            root == TreeRoots::common};
  }
};
template <class V>
void visit(V& v, TreegenParams& p) {
  v.field("epsilon", p.epsilon,
          Note("of the multiplicative weights: smaller gives more candidates")
              .source("docs/systems/blink.md#multiplicative-weights [G]")
              .range("0.02", "0.5"));
  v.field("threshold", p.threshold,
          Note("share of the bound that an all-reduce may lack for coarser weights of its trees")
              .source("Blink 3.2 [P]")
              .range("0", "0.5"));
  v.field("steps", p.steps,
          Note("weights of the trees of an all-reduce: whole links are tried first, finer ones down to these next, then any, "
               "as a linear program has them; any: that at once")
              .source("Blink 3.2.1 [P], docs/systems/blink.md#trees [G]"));
  v.field("prefer", p.prefer,
          Note("among trees of an all-reduce of up to 8 GPUs in the same weights: the fewest, or the least deep")
              .source("Blink 3.2.1 [P], docs/systems/blink.md#trees"));
  v.field("root", p.root,
          Note("of the trees of an all-reduce on one server: each tree's centre, or one for all")
              .source("docs/systems/blink.md#trees [G]"));
}

struct HybridParams {
  std::optional<Bandwidth> nvlink_rate, pcie_rate;
  bool measure = false;
};
template <class V>
void visit(V& v, HybridParams& p) {
  v.field("nvlink_rate", p.nvlink_rate,
          Note("of the collective on NVLinks alone, as blink_hybrid divides messages by it")
              .source("Blink Eq. (8) [P]")
              .range("1MB/s", "10TB/s")
              .automatic("rate of the trees, without commands and kernels"));
  v.field("pcie_rate", p.pcie_rate,
          Note("the same of PCIe alone")
              .source("Blink Eq. (8) [P]")
              .range("1MB/s", "10TB/s")
              .automatic("of the slowest hop of the chain over PCIe"));
  v.field("measure", p.measure,
          Note("with --iterations both rates are measured: by a message on NVLinks alone, one over PCIe alone, then both parts "
               "of each")
              .source("Blink 3.4 [P]"));
}

struct CodegenParams {
  std::optional<Bytes> chunk;
  bool stream_reuse = true;
  Phases phases = Phases::overlap;
  GivenTrees trees;
  HybridParams hybrid;
  TreegenParams treegen;
};
template <class V>
void visit(V& v, CodegenParams& p) {
  v.field("chunk", p.chunk,
          Note("largest chunk of a tree, or of a file's schedule: what one copy moves")
              .source("Blink 4.2 [P]")
              .range("128B", "1GB")
              .automatic("1 MB; over iterations tuned from there on"));
  v.field("stream_reuse", p.stream_reuse,
          Note("edges of different trees over one pair at one depth share a stream").source("Blink 4.2 [P]"));
  v.field("phases", p.phases,
          Note("chunks of an all-reduce go down as they have come up, or when all of their tree have")
              .source("docs/systems/blink.md#codegen [G]"));
  v.field("trees", p.trees,
          Note("trees given by hand, for NVLinks: paths of GPUs, with / between trees").source("for experiments"));
  v.group("hybrid", p.hybrid);
  v.group("treegen", p.treegen);
}

}  // namespace tributary
