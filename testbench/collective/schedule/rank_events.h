#pragma once
/// RankEvents: the events of one rank by their form, for proofs that compare the programs of ranks.

#include <cstdint>
#include <functional>
#include <vector>

#include "testbench/collective/schedule/fused.h"
#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

/// An atomic action of a rank, as Event of event_graph.h: it waits, computes a value and stores or sends it.
struct RankEvent {
  static constexpr int no_peer = -1;
  int chunk = 0, id = 0;
  int from = no_peer, in_slot = 0, in_step = 0;  ///< the message that it waits for or reads
  int to = no_peer, out_slot = 0, out_step = 0;  ///< the message that it sends
  bool waits = false, reads = false, adds_own = false, stores = false;
  std::uint32_t first_after = 0, end_after = 0;  ///< range of RankEvents::after

  bool sends() const { return to != no_peer; }
  bool reads_own() const { return adds_own || (sends() && !reads); }
  bool touches_own() const { return reads_own() || stores; }
};

struct RankEvents {
  std::vector<RankEvent> events;
  std::vector<std::uint32_t> after;  ///< events of the rank that end before another begins

  void clear() { events.clear(), after.clear(); }
};

/// Replaces `events` by those of a rank. Returns false if the program has no valid form.
using EventSource = std::function<bool(int rank, RankEvents& events)>;

/// Append the events of a rank's program. Return false on an id used twice, a dependency on an unknown operation, a negative
/// peer, and a step that reduces or stores without a message.
bool append_events(const std::vector<Operation>& program, RankEvents& events);
bool append_events(const std::vector<FusedStep>& steps, RankEvents& events);

}  // namespace tributary::collective
