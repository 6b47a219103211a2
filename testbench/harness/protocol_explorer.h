#pragma once
/// ProtocolExplorer: enumerates every state that a ring can reach with a limited number of faults
/// (docs/systems/netreduce.md#loss).

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/harness/ring_model.h"
#include "testbench/harness/state_table.h"

namespace tributary {

/// Takes every possible step from each state: a rank sends, the head of a channel is delivered, lost or duplicated, or a
/// rank's timer expires too early. Timers expire in time only if nothing else can move. Every order of events within the
/// fault limits is therefore a path of the exploration.
class ProtocolExplorer {
 public:
  struct Config {
    RingModel::Config ring;
    unsigned losses = 0;          ///< maximum number of lost packets and answers
    unsigned early_timeouts = 0;  ///< maximum number of timers that expire too early
    unsigned duplicates = 0;      ///< maximum number of packets and answers that a channel delivers twice
    std::size_t most_states = 20'000'000;
  };
  struct Result {
    bool complete = false;  ///< all reachable states were visited
    std::uint64_t states = 0, steps = 0, ends = 0;
    std::uint64_t stuck = 0;                      ///< states from which no end can be reached without another fault
    std::uint64_t wrong = 0;                      ///< steps that accept a wrong sum
    std::vector<std::string> to_stuck, to_wrong;  ///< steps to the first such state, if any
    std::string waiting;                          ///< waiters of the first stuck state
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
  std::vector<std::uint32_t> loaded_, next_;  // rows: the state in the model; the state after a step
  std::vector<std::uint32_t> from_;           // by state: its predecessor
  std::vector<Step> by_;                      // by state: step from its predecessor to it
  std::vector<std::uint32_t> edges_;          // steps without faults, ordered by their initial state
  std::vector<std::size_t> first_edge_;       // by state
  std::vector<std::uint32_t> ends_;
  std::string text_;
  Result result_;
};

}  // namespace tributary
