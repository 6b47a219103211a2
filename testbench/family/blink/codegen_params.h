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

/// The finest weights that TreeGen tries for the trees of an all-reduce.
enum class TreeWeights : std::uint8_t { whole, halves, quarters, eighths, any };
/// The preference among equally fast sets of trees of an all-reduce.
enum class TreePreference : std::uint8_t { fewest, shallow };
/// The root of the trees of an all-reduce, where chunks turn from up to down.
enum class TreeRoots : std::uint8_t { centre, common };
/// The trees of an all-gather or reduce-scatter: those of an all-reduce, or those of a broadcast from each rank.
enum class TreeDirections : std::uint8_t { undirected, directed };

/// The GPU whose engine carries out a copy: the sender, which writes, or the receiver, which reads.
enum class CopyDirection : std::uint8_t { write, read };

template <>
struct EnumNames<CopyDirection> {
  static const std::vector<std::pair<CopyDirection, std::string>>& names() {
    static const std::vector<std::pair<CopyDirection, std::string>> n{{CopyDirection::write, "write"},
                                                                      {CopyDirection::read, "read"}};
    return n;
  }
};
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

template <>
struct EnumNames<TreeDirections> {
  static const std::vector<std::pair<TreeDirections, std::string>>& names() {
    static const std::vector<std::pair<TreeDirections, std::string>> n{{TreeDirections::undirected, "undirected"},
                                                                       {TreeDirections::directed, "directed"}};
    return n;
  }
};

struct TreegenParams {
  double epsilon = 0.05;
  double threshold = 0.05;
  TreeWeights steps = TreeWeights::eighths;
  std::optional<TreePreference> prefer;
  TreeRoots root = TreeRoots::centre;
  std::optional<TreeDirections> allgather;

  collective::TreeOptions options() const {
    constexpr std::int64_t finest[] = {1, 2, 4, 8, 0};
    return {epsilon, threshold, finest[static_cast<std::size_t>(steps)], prefer == TreePreference::shallow,
            root == TreeRoots::common};
  }
};
template <class V>
void visit(V& v, TreegenParams& p) {
  v.field("epsilon", p.epsilon,
          Note("step of the multiplicative weights: a smaller step gives more candidate trees")
              .role(ParameterRole::shape)
              .source("docs/systems/blink.md#multiplicative-weights [G]")
              .range("0.02", "0.5"));
  v.field("threshold", p.threshold,
          Note("largest share of the bound that an all-reduce may lose so that its trees have coarser weights")
              .role(ParameterRole::shape)
              .source("Blink 3.2 [P]")
              .range("0", "0.5"));
  v.field("steps", p.steps,
          Note("finest weights of the trees of an all-reduce: TreeGen tries whole links, then finer weights down to these, "
               "then the weights of a linear program; any: only the linear program")
              .source("Blink 3.2.1 [P], docs/systems/blink.md#trees [G]"));
  v.field("prefer", p.prefer,
          Note("preference among sets of trees with equal weights for an all-reduce of up to 8 GPUs: fewest trees, or least "
               "depth")
              .source("Blink 3.2.1 [P], docs/systems/blink.md#trees")
              .automatic("shallow for an all-reduce on one server, else fewest"));
  v.field("root", p.root,
          Note("root of the trees of an all-reduce on one server: the centre of each tree, or a common root")
              .source("docs/systems/blink.md#trees [G]"));
  v.field(
      "allgather", p.allgather,
      Note("trees of an all-gather or reduce-scatter on one server: those of an all-reduce, or those of a broadcast from "
           "each rank")
          .source("Blink 2.2 [P], docs/systems/blink.md#trees [G]")
          .automatic("directed for up to 8 GPUs with direct NVLinks, else undirected"));
}

struct HybridParams {
  std::optional<Bandwidth> nvlink_rate, pcie_rate;
  bool measure = false;
};
template <class V>
void visit(V& v, HybridParams& p) {
  v.field("nvlink_rate", p.nvlink_rate,
          Note("rate of the collective on NVLinks alone; blink_hybrid splits messages by it")
              .role(ParameterRole::shape)
              .source("Blink Eq. (8) [P]")
              .range("1MB/s", "10TB/s")
              .automatic("rate of the trees, without the time of commands and kernels"));
  v.field("pcie_rate", p.pcie_rate,
          Note("rate of the collective on PCIe alone; blink_hybrid splits messages by it")
              .role(ParameterRole::shape)
              .source("Blink Eq. (8) [P]")
              .range("1MB/s", "10TB/s")
              .automatic("rate of the slowest hop of the chain over PCIe"));
  v.field("measure", p.measure,
          Note("measure both rates over --iterations: the first message uses NVLinks alone, the second PCIe alone, and each "
               "later one measures both parts")
              .source("Blink 3.4 [P]"));
}

/// The ring of NCCL's channels among GPUs that no ring of NVLinks joins.
enum class RingFallback : std::uint8_t { pcie, simple };
template <>
struct EnumNames<RingFallback> {
  static const std::vector<std::pair<RingFallback, std::string>>& names() {
    static const std::vector<std::pair<RingFallback, std::string>> n{{RingFallback::pcie, "pcie"},
                                                                     {RingFallback::simple, "simple"}};
    return n;
  }
};

struct FallbackParams {
  RingFallback fallback = RingFallback::pcie;
  std::optional<Bandwidth> host_rate;
};
template <class V>
void visit(V& v, FallbackParams& p) {
  v.field("fallback", p.fallback,
          Note("ring of the GPUs of a server that no ring of NVLinks joins: over PCIe in the order of its tree, or in the "
               "order of ranks, over NVLinks, PCIe inside a socket, and host memory between sockets")
              .source("NCCL 2.4 rings.cu, docs/blocks/nccl_channels.md#rings [G]"));
  v.field("host_rate", p.host_rate,
          Note("rate at which a channel reads its slots in host memory")
              .role(ParameterRole::rate)
              .source("docs/blocks/nccl_channels.md#rings [G]")
              .range("1MB/s", "10TB/s")
              .automatic("rate of a copy over PCIe past a processor"));
}

struct CodegenParams {
  std::optional<Bytes> chunk;
  std::optional<bool> stream_reuse;
  Phases phases = Phases::overlap;
  CopyDirection copies = CopyDirection::write;
  GivenTrees trees;
  HybridParams hybrid;
  TreegenParams treegen;
  FallbackParams rings;
};
template <class V>
void visit(V& v, CodegenParams& p) {
  v.field("chunk", p.chunk,
          Note("largest chunk of a tree or of the schedule of a file; one copy moves one chunk")
              .role(ParameterRole::shape)
              .source("Blink 4.2 [P]")
              .range("128B", "1GB")
              .automatic("predicted by a model of the pipeline; for a file 1 MB; over iterations tuned from 1 MB"));
  v.field("stream_reuse", p.stream_reuse,
          Note("edges of different trees over one pair at one depth share a stream")
              .source("Blink 4.2 [P]")
              .automatic("true with copy.arbitration=sticky, or if a GPU would have more streams than hardware queues"));
  v.field(
      "phases", p.phases,
      Note("start of the broadcast phase of an all-reduce: each chunk goes down the tree when it has reached the root, or "
           "when all chunks of its tree have")
          .source("docs/systems/blink.md#codegen [G]"));
  v.field(
      "copies", p.copies,
      Note("direction of the copies of trees and of schedules: engines of senders write to the memory of the receiver, or "
           "engines of receivers read the memory of the sender")
          .source("docs/blocks/copy_engine.md#copies-that-read [G]"));
  v.field("trees", p.trees,
          Note("trees over NVLinks that replace TreeGen's: paths of GPUs, with / between trees").source("for experiments"));
  v.group("hybrid", p.hybrid);
  v.group("treegen", p.treegen);
  v.group("nccl", p.rings);
}

}  // namespace tributary
