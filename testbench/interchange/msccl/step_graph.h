#pragma once
/// The steps of all thread blocks, and what waits for what.

#include <optional>
#include <string>
#include <vector>

#include "testbench/interchange/msccl/algorithm.h"

namespace tributary::msccl {

/// Each (sender, receiver, channel) is a queue: its n-th send is its n-th receive. Sends never wait for room.
class StepGraph {
 public:
  static constexpr std::size_t none = ~std::size_t{0};

  struct Node {
    int gpu = 0, block = 0, step = 0;
    std::size_t thread = 0;       ///< number of the thread block among those of all GPUs
    std::size_t depends = none;   ///< of the same GPU
    std::size_t sender = none;    ///< of the message that it receives
    std::size_t receiver = none;  ///< of the message that it sends
  };

  /// `algorithm` must outlive the graph.
  explicit StepGraph(const Algorithm& algorithm);

  const Algorithm& algorithm() const { return algorithm_; }
  /// In the order of GPUs, thread blocks, steps.
  const std::vector<Node>& nodes() const { return nodes_; }
  const Step& step(std::size_t node) const;
  std::string text(std::size_t node) const;
  std::size_t threads() const { return first_.size(); }

  /// Why steps and queues do not fit: two thread blocks at one end of a queue, messages that differ in their chunks, are
  /// never received or never sent. Empty: they do.
  std::string mismatch() const;
  /// All steps in an order of execution: thread blocks by turns as far as they get, the lowest that can go on first, or
  /// (`backwards`) the highest. Shorter than nodes(): the others wait for ever.
  std::vector<std::size_t> execute(bool backwards) const;
  /// Lines that say which steps wait for each other, when an execution has ended with `done`.
  std::string cycle(const std::vector<std::size_t>& done) const;
  /// Of each step, the steps of the longest chain up to it; `order` is an execution of all.
  std::vector<std::size_t> chain_lengths(const std::vector<std::size_t>& order) const;
  /// All steps by that length: an execution in which all thread blocks go on side by side.
  std::vector<std::size_t> side_by_side() const;
  /// The step before it in its thread block; `none` of the first.
  std::size_t previous(std::size_t node) const { return nodes_[node].step == 0 ? none : node - 1; }

 private:
  struct End {
    std::size_t thread = none;
    std::vector<std::size_t> steps;
    bool shared = false;  ///< by another thread block
  };
  struct Queue {
    End sends, receives;
  };
  void join(End& end, std::size_t node);
  void match();
  std::size_t waits_for(std::size_t node, const std::vector<bool>& done) const;

  const Algorithm& algorithm_;
  std::vector<Node> nodes_;
  std::vector<std::size_t> first_;  ///< [thread] its first step
  std::vector<std::size_t> length_;
  std::string mismatch_;
};

}  // namespace tributary::msccl
