#include "testbench/collective/symbolic.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "testbench/collective/event_graph.h"
#include "testbench/collective/schedule_events.h"

namespace tributary::collective {
namespace {

struct Size {
  int ranks, chunks;
};

/// Indices of the events that read a message: all must have ended before its slot is written again.
std::map<Message, std::vector<std::size_t>> consumers(const EventGraph& graph) {
  std::map<Message, std::vector<std::size_t>> found;
  for (std::size_t i = 0; i < graph.events().size(); ++i) {
    const Event& e = graph.events()[i];
    if (e.waits_for) found[*e.waits_for].push_back(i);
    if (e.reads) found[*e.reads].push_back(i);
  }
  return found;
}

/// The event that waits for each message.
std::map<Message, std::size_t> arrivals(const EventGraph& graph) {
  std::map<Message, std::size_t> found;
  for (std::size_t i = 0; i < graph.events().size(); ++i)
    if (graph.events()[i].waits_for) found[*graph.events()[i].waits_for] = i;
  return found;
}

/// Each message is read after its arrival.
void check_arrivals(const EventGraph& graph) {
  const auto arrival = arrivals(graph);
  for (std::size_t i = 0; i < graph.events().size(); ++i) {
    const Event& e = graph.events()[i];
    if (!e.reads) continue;
    const auto a = arrival.find(*e.reads);
    if (a == arrival.end() || (a->second != i && !graph.precedes_locally(a->second, i)))
      throw ScheduleError(e.label + " does not wait for its message");
  }
}

/// A slot takes its next message, and is watched for it, only after the last one has been read.
void check_slots(const EventGraph& graph) {
  const auto& events = graph.events();
  const auto arrival = arrivals(graph);
  const auto readers = consumers(graph);
  std::map<std::tuple<int, int, int>, Message> last_message;  // of each slot
  for (const std::size_t i : graph.order()) {
    if (!events[i].sends) continue;
    const Message m = *events[i].sends;
    const auto [last, first_use] = last_message.try_emplace({m.from, m.to, m.slot}, m);
    if (first_use) continue;
    for (const std::size_t reader : readers.at(last->second)) {
      if (!graph.happens_before(reader, i))
        throw ScheduleError(events[i].label + " may overwrite the slot before " + events[reader].label + " has read it");
      if (!graph.precedes_locally(reader, arrival.at(m)))
        throw ScheduleError(events[arrival.at(m)].label + " may see the message that " + events[reader].label +
                            " has not read");
    }
    last->second = m;
  }
}

/// Any two events of a rank of which one writes a chunk and one uses it happen one before the other.
void check_races(const EventGraph& graph) {
  struct Uses {
    std::vector<std::size_t> reads;  // since the last write
    std::vector<std::size_t> write;  // the last one, if any
  };
  std::map<std::pair<int, int>, Uses> chunks;
  const auto ordered = [&](const std::vector<std::size_t>& earlier, std::size_t later) {
    for (const std::size_t i : earlier)
      if (!graph.happens_before(i, later))
        throw ScheduleError(graph.events()[later].label + " and " + graph.events()[i].label + " race for the own chunk");
  };
  for (const std::size_t i : graph.order()) {
    const Event& e = graph.events()[i];
    Uses& uses = chunks[{e.rank, e.chunk}];
    if (!e.touches_own()) continue;
    ordered(uses.write, i);
    if (!e.stores) {
      uses.reads.push_back(i);
      continue;
    }
    ordered(uses.reads, i);
    uses = {{}, {i}};
  }
}

/// How often each rank's operand of one chunk is contained in a value.
struct Value {
  int chunk = 0;
  std::vector<int> count;
};

class Execution {
 public:
  Execution(const EventGraph& graph, Size size) : size_(size) {
    for (int r = 0; r < size.ranks; ++r)
      for (int c = 0; c < size.chunks; ++c) {
        Value& own = own_[{r, c}] = {c, std::vector<int>(static_cast<std::size_t>(size.ranks), 0)};
        own.count[static_cast<std::size_t>(r)] = 1;
      }
    for (const std::size_t i : graph.order()) run(graph.events()[i]);
  }

  void check_allreduce() const {
    for (const auto& [place, value] : own_)
      for (int r = 0; r < size_.ranks; ++r) {
        const int n = value.count[static_cast<std::size_t>(r)];
        if (n != 1)
          throw ScheduleError("rank " + std::to_string(place.first) + " ends with chunk " + std::to_string(place.second) +
                              " that holds the operand of rank " + std::to_string(r) + " " + std::to_string(n) +
                              " times; an all-reduce holds each exactly once");
      }
  }

 private:
  void run(const Event& e) {
    for (const auto& message : {e.waits_for, e.reads})
      if (message && mailbox_.at(*message).chunk != e.chunk)
        throw ScheduleError(e.label + ": the message holds chunk " + std::to_string(mailbox_.at(*message).chunk));
    Value& own = own_.at({e.rank, e.chunk});
    Value value = e.reads ? mailbox_.at(*e.reads) : own;
    if (e.adds_own)
      for (std::size_t r = 0; r < value.count.size(); ++r) value.count[r] += own.count[r];
    if (e.sends) mailbox_[*e.sends] = value;
    if (e.stores) own = std::move(value);
  }

  Size size_;
  std::map<std::pair<int, int>, Value> own_;
  std::map<Message, Value> mailbox_;
};

void verify(std::vector<Event> events, Size size) {
  const EventGraph graph(std::move(events));
  check_arrivals(graph);
  check_races(graph);
  check_slots(graph);
  Execution(graph, size).check_allreduce();
}

}  // namespace

void verify_allreduce(const Schedule& schedule) { verify(events_of(schedule), {schedule.ranks, schedule.chunks}); }
void verify_allreduce(const FusedProgram& program) { verify(events_of(program), {program.ranks, program.chunks}); }

}  // namespace tributary::collective
