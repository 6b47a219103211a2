#pragma once
/// ProtocolExplorer: every state that a ring can come to, within a number of faults (docs/systems/netreduce.md#loss).

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/harness/ring_model.h"
#include "testbench/harness/state_table.h"

namespace tributary {

/// From each state every step is taken: a rank sends, the head of a channel is delivered, or lost, or a rank's timer ends
/// too early; when nothing else can move, timers end in time. So each order of events within the faults is one of its paths.
class ProtocolExplorer {
 public:
  struct Config {
    RingModel::Config ring;
    unsigned losses = 0;          ///< packets and answers that are lost, at most
    unsigned early_timeouts = 0;  ///< timers that end too early, at most
    std::size_t most_states = 20'000'000;
  };
  struct Result {
    bool complete = false;  ///< all states have been seen
    std::uint64_t states = 0, steps = 0, ends = 0;
    std::uint64_t stuck = 0;                      ///< states from which no end can be reached without another fault
    std::uint64_t wrong = 0;                      ///< steps that accept a wrong sum
    std::vector<std::string> to_stuck, to_wrong;  ///< steps to the first such state, if any
    std::string waiting;                          ///< what waits in the first stuck state
  };

  explicit ProtocolExplorer(const Config& config);
  Result run();

 private:
  using Step = RingModel::Step;
  void enter(std::uint32_t state);
  void expand(std::uint32_t state);
  void attempt(std::uint32_t state, const Step& step, std::uint32_t faults, bool is_fault);
  void search_back();
  std::vector<std::string> path(std::uint32_t state) const;

  Config config_;
  RingModel model_;
  unsigned parts_;
  PartNames names_;
  StateTable states_;
  std::vector<std::uint32_t> loaded_, next_;  // rows: what the model holds; what a step leads to
  std::vector<std::uint32_t> from_;           // by state: the one it was found from
  std::vector<Step> by_;                      // and the step
  std::vector<std::uint32_t> edges_;          // steps without faults, in order of the states that they begin at
  std::vector<std::size_t> first_edge_;       // by state
  std::vector<std::uint32_t> ends_;
  std::string text_;
  Result result_;
};

}  // namespace tributary
