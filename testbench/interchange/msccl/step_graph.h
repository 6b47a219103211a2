#pragma once
/// The steps of all thread blocks and their dependencies.

#include <optional>
#include <string>
#include <vector>

#include "testbench/interchange/msccl/algorithm.h"

namespace tributary::msccl {

/// Each (sender, receiver, channel) is a queue, whose n-th send matches its n-th receive. Sends never wait for room.
class StepGraph {
 public:
  static constexpr std::size_t none = ~std::size_t{0};

  struct Node {
    int gpu = 0, block = 0, step = 0;
    std::size_t thread = 0;       ///< number of the thread block, counted over all GPUs
    std::size_t depends = none;   ///< step of the same GPU that it waits for
    std::size_t sender = none;    ///< step that sends the message it receives
    std::size_t receiver = none;  ///< step that receives the message it sends
  };

  /// `algorithm` must outlive the graph.
  explicit StepGraph(const Algorithm& algorithm);

  const Algorithm& algorithm() const { return algorithm_; }
  /// Returns the steps in the order of GPUs, thread blocks and steps.
  const std::vector<Node>& nodes() const { return nodes_; }
  const Step& step(std::size_t node) const;
  std::string text(std::size_t node) const;
  std::size_t threads() const { return first_.size(); }

  /// Returns the reason why steps and queues do not match: two thread blocks at one end of a queue, or messages that differ
  /// in their chunks, are never received or never sent. Empty if they match.
  std::string mismatch() const;
  /// Returns all steps in an order of execution. Thread blocks take turns, each as far as it can run; the lowest one that
  /// can run is first or, with `backwards`, the highest. If the result is shorter than nodes(), the other steps wait for
  /// ever.
  std::vector<std::size_t> execute(bool backwards) const;
  /// Describes the steps that wait for each other after an execution has ended with `done`, in several lines.
  std::string cycle(const std::vector<std::size_t>& done) const;
  /// Returns the length of the longest chain of steps up to each step. `order` is an execution of all steps.
  std::vector<std::size_t> chain_lengths(const std::vector<std::size_t>& order) const;
  /// Returns all steps by that length: an execution in which all thread blocks progress in parallel.
  std::vector<std::size_t> side_by_side() const;
  /// Returns the step before a step in its thread block, or `none` for the first.
  std::size_t previous(std::size_t node) const { return nodes_[node].step == 0 ? none : node - 1; }

 private:
  struct End {
    std::size_t thread = none;
    std::vector<std::size_t> steps;
    bool shared = false;  ///< another thread block uses the end, too
  };
  struct Queue {
    End sends, receives;
  };
  void join(End& end, std::size_t node);
  void match();
  std::size_t waits_for(std::size_t node, const std::vector<bool>& done) const;

  const Algorithm& algorithm_;
  std::vector<Node> nodes_;
  std::vector<std::size_t> first_;  ///< [thread] first step
  std::vector<std::size_t> length_;
  std::string mismatch_;
};

}  // namespace tributary::msccl
