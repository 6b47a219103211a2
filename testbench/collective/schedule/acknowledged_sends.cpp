#include "testbench/collective/schedule/acknowledged_sends.h"

#include <map>
#include <utility>

#include "testbench/collective/schedule/schedule_events.h"

namespace tributary::collective {
namespace {

/// The event that waits for each message, and the event that sends it.
struct Ends {
  explicit Ends(const EventGraph& graph) {
    for (std::size_t i = 0; i < graph.events().size(); ++i) {
      const Event& e = graph.events()[i];
      if (e.waits_for) receiver[*e.waits_for] = i;
      if (e.sends) sender[*e.sends] = i;
    }
  }
  std::map<Message, std::size_t> receiver, sender;
};

/// Returns, for each event, true if its end must wait for the ACK.
std::vector<bool> marked(const EventGraph& graph) {
  const std::vector<Event>& events = graph.events();
  const Ends ends(graph);
  std::vector<bool> acknowledged(events.size(), false);
  std::map<std::pair<int, int>, std::vector<std::size_t>> sends;  // sends of each (rank, chunk) since its last write
  for (const std::size_t i : graph.order()) {
    const Event& e = events[i];
    std::vector<std::size_t>& earlier = sends[{e.rank, e.chunk}];
    if (e.stores) {
      const bool direct = e.reads && !e.adds_own;  // written by the sender's packets
      const std::size_t write = direct ? ends.sender.at(*e.reads) : i;
      for (const std::size_t send : earlier)
        if (!graph.happens_before(ends.receiver.at(*events[send].sends), write)) acknowledged[send] = true;
      earlier.clear();
    }
    if (!e.sends) continue;
    earlier.push_back(i);
    if (e.reads && !e.stores) acknowledged[i] = true;  // forwards the content of a mailbox, which receives the next message
  }
  return acknowledged;
}

}  // namespace

std::vector<std::vector<bool>> acknowledged_sends(const FusedProgram& program) {
  const std::vector<bool> all = marked(EventGraph(events_of(program)));
  std::vector<std::vector<bool>> by_rank;
  auto next = all.begin();
  for (const std::vector<FusedStep>& steps : program.steps) {
    const auto end = next + static_cast<std::ptrdiff_t>(steps.size());
    by_rank.emplace_back(next, end);
    next = end;
  }
  return by_rank;
}

}  // namespace tributary::collective
