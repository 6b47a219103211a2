#include "testbench/collective/in_place.h"

#include <map>

#include "testbench/collective/schedule_events.h"

namespace tributary::collective {

void verify_in_place(const FusedProgram& program) {
  const EventGraph graph(events_of(program));
  const std::vector<Event>& events = graph.events();
  std::map<Message, std::size_t> sender;
  for (std::size_t i = 0; i < events.size(); ++i)
    if (events[i].sends) sender[*events[i].sends] = i;
  for (std::size_t landing = 0; landing < events.size(); ++landing) {
    const Event& e = events[landing];
    if (!e.reads || e.adds_own || !e.stores) continue;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const Event& earlier = events[i];
      const bool same_chunk = earlier.rank == e.rank && earlier.chunk == e.chunk && earlier.touches_own();
      if (same_chunk && graph.precedes_locally(i, landing) && !graph.happens_before(i, sender.at(*e.reads)))
        throw ScheduleError(e.label + " may be overwritten in place while " + earlier.label + " still needs its chunk");
    }
  }
}

}  // namespace tributary::collective
