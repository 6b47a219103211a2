#include "testbench/collective/schedule/direct_placement.h"

#include <map>
#include <utility>

#include "testbench/collective/schedule/schedule_events.h"

namespace tributary::collective {

void verify_direct_placement(const FusedProgram& program) {
  const EventGraph graph(events_of(program));
  const std::vector<Event>& events = graph.events();
  std::map<Message, std::size_t> sender;
  std::map<std::pair<int, int>, std::vector<std::size_t>> users;  // users of each (rank, chunk), in an order of execution
  for (const std::size_t i : graph.order()) {
    const Event& e = events[i];
    if (e.sends) sender[*e.sends] = i;
    std::vector<std::size_t>& earlier = users[{e.rank, e.chunk}];
    if (e.reads && !e.adds_own && e.stores)
      for (const std::size_t user : earlier)
        if (!graph.happens_before(user, sender.at(*e.reads)))
          throw ScheduleError(e.label + " may be overwritten in place while " + events[user].label +
                              " still needs its chunk");
    if (e.touches_own()) earlier.push_back(i);
  }
}

}  // namespace tributary::collective
