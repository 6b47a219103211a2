#pragma once
/// A network of schedule engines without routers: each chunk crosses one link, with real data.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "modules/nic/core/dma_reader.h"
#include "modules/nic/core/reduction_core.h"
#include "modules/nic/core/schedule_engine.h"
#include "testbench/collective/tree/step_trees.h"

namespace tributary {

/// Links serialise whole chunks and then add `latency` (and a jitter that is a hash of tree and nodes). Data: rank i
/// contributes bit i to each chunk, and reductions are additions, so that a sum shows each operand and how often it was
/// added.
class NicNetwork {
 public:
  struct Config {
    ScheduleEngine::Config nic;  ///< `node` is set for each
    Tick latency = 150'000, jitter = 0;
    bool serialise = true;  ///< false: chunks take the latency alone
    Tick window = 0;        ///< not 0 (and at most the latency): NICs run in turn, each to the end of the window
  };
  struct Sent {
    Tick when;  ///< issued
    std::uint16_t from, to;
    ScheduleEntry::Op op;
    std::uint16_t tree, step;
    bool operator==(const Sent& o) const {
      return when == o.when && from == o.from && to == o.to && op == o.op && tree == o.tree && step == o.step;
    }
  };
  struct Step {
    Tick when;
    std::uint64_t step;
  };

  NicNetwork(const Config& config, std::vector<NicOperation> operations);
  ~NicNetwork();

  /// Runs until nothing is pending. Returns when the last NIC finished; `never` if one did not.
  Tick run();

  std::size_t nodes() const { return nodes_.size(); }
  ScheduleEngine& nic(std::size_t node);
  const ReductionCore& reduction(std::size_t node) const;
  std::uint64_t value(std::size_t node, std::size_t tree) const { return values_[node][tree]; }
  void set_value(std::size_t node, std::size_t tree, std::uint64_t value) { values_[node][tree] = value; }
  /// The chunks sent, in order of (time, sender, entry).
  std::vector<Sent> sent() const;
  /// Changes of the timestep counter of a node.
  const std::vector<Step>& steps(std::size_t node) const;
  /// The number of operands that were added to a sum that contained them already.
  unsigned doubled() const { return doubled_; }
  /// The number of chunks that found their link occupied.
  unsigned queued() const { return queued_; }

 private:
  class Node;
  struct Message {
    Tick when;
    Sent sent;
    std::uint64_t value, bytes;
  };
  void send(std::uint16_t from, std::uint16_t to, const ScheduleEntry& entry, const DmaReader::Burst& burst, Tick now);
  void deliver(const Message& m);
  Tick next() const;

  Config config_;
  Segmentation segmentation_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<std::vector<std::uint64_t>> values_;  // [node][tree]
  std::vector<std::vector<Tick>> link_free_;        // [from][to]
  std::vector<Message> flying_;
  std::vector<Sent> sent_;
  unsigned doubled_ = 0, queued_ = 0;
};

/// The operations of the NICs in an all-reduce over trees of all nodes, rank i on node i, with the NOPs between each
/// node's first and last operation. Chunk i begins at i x `bytes`.
std::vector<NicOperation> all_reduce_over(const collective::StepTrees& trees, std::uint32_t bytes);

}  // namespace tributary
