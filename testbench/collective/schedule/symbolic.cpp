#include "testbench/collective/schedule/symbolic.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "testbench/collective/schedule/event_graph.h"
#include "testbench/collective/schedule/schedule_events.h"

namespace tributary::collective {
namespace {

struct Size {
  int ranks, chunks;
};

/// Returns the events that read each message: all must have ended before its slot is written again.
std::map<Message, std::vector<std::size_t>> consumers(const EventGraph& graph) {
  std::map<Message, std::vector<std::size_t>> found;
  for (std::size_t i = 0; i < graph.events().size(); ++i) {
    const Event& e = graph.events()[i];
    if (e.waits_for) found[*e.waits_for].push_back(i);
    if (e.reads) found[*e.reads].push_back(i);
  }
  return found;
}

/// Returns the event that waits for each message.
std::map<Message, std::size_t> arrivals(const EventGraph& graph) {
  std::map<Message, std::size_t> found;
  for (std::size_t i = 0; i < graph.events().size(); ++i)
    if (graph.events()[i].waits_for) found[*graph.events()[i].waits_for] = i;
  return found;
}

/// Checks that each message is read after its arrival.
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

/// Checks that a slot receives its next message, and is polled for it, only after the last one has been read.
void check_slots(const EventGraph& graph) {
  const auto& events = graph.events();
  const auto arrival = arrivals(graph);
  const auto readers = consumers(graph);
  std::map<std::tuple<int, int, int>, Message> last_message;  // by slot
  for (const std::size_t i : graph.order()) {
    if (!events[i].sends) continue;
    const Message m = *events[i].sends;
    const auto [last, first_use] = last_message.try_emplace({m.from, m.to, m.slot}, m);
    if (first_use) continue;
    for (const std::size_t reader : readers.at(last->second)) {
      if (!graph.happens_before(reader, i))
        throw ScheduleError(events[i].label + " may overwrite the message in its slot before " + events[reader].label +
                            " has read it");
      if (!graph.precedes_locally(reader, arrival.at(m)))
        throw ScheduleError(events[arrival.at(m)].label + " may accept the previous message of its slot, which " +
                            events[reader].label + " has not read");
    }
    last->second = m;
  }
}

/// Checks that any two events of a rank are ordered if one writes a chunk and the other uses it.
void check_races(const EventGraph& graph) {
  struct Uses {
    std::vector<std::size_t> reads;  // since the last write
    std::vector<std::size_t> write;  // the last write, if any
  };
  std::map<std::pair<int, int>, Uses> chunks;
  const auto ordered = [&](const std::vector<std::size_t>& earlier, std::size_t later) {
    for (const std::size_t i : earlier)
      if (!graph.happens_before(i, later))
        throw ScheduleError(graph.events()[later].label + " and " + graph.events()[i].label +
                            " race for a chunk: one of them writes it, and neither waits for the other");
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

/// Number of times that a value contains each rank's operand of one chunk; empty: an undefined value.
struct Value {
  int chunk = 0;
  std::vector<int> count;
};

class Execution {
 public:
  Execution(const EventGraph& graph, Size size, std::vector<Goal> goals) : size_(size), goals_(std::move(goals)) {
    goals_.resize(static_cast<std::size_t>(size.chunks));
    for (const std::size_t i : graph.order()) run(graph.events()[i]);
  }

  void check() {
    for (int r = 0; r < size_.ranks; ++r)
      for (int c = 0; c < size_.chunks; ++c)
        if (goal(c).ends_at(r)) check(r, c, own(r, c));
  }

  /// Checks that no rank has stored data.
  void check_untouched() {
    for (const auto& [place, value] : own_)
      for (int r = 0; r < size_.ranks; ++r)
        if (value.count[static_cast<std::size_t>(r)] != (r == place.first))
          throw ScheduleError("rank " + std::to_string(place.first) + " stores data in a barrier");
  }

 private:
  const Goal& goal(int chunk) const { return goals_.at(static_cast<std::size_t>(chunk)); }

  Value& own(int rank, int chunk) {
    const auto [found, first_use] = own_.try_emplace({rank, chunk}, Value{chunk, {}});
    if (first_use && goal(chunk).starts_at(rank)) {
      found->second.count.assign(static_cast<std::size_t>(size_.ranks), 0);
      found->second.count[static_cast<std::size_t>(rank)] = 1;
    }
    return found->second;
  }

  void check(int rank, int chunk, const Value& value) const {
    for (int r = 0; r < size_.ranks; ++r) {
      const int n = value.count.empty() ? 0 : value.count[static_cast<std::size_t>(r)];
      const int wanted = goal(chunk).starts_at(r) ? 1 : 0;
      if (n != wanted)
        throw ScheduleError(
            "chunk " + std::to_string(chunk) + " of rank " + std::to_string(rank) + " ends with the operand of rank " +
            std::to_string(r) + " " + std::to_string(n) + " times (legal: " +
            (goal(chunk).from == every_rank ? "the operand of each rank once"
                                            : "only the operand of rank " + std::to_string(goal(chunk).from) + ", once") +
            ")");
    }
  }

  void run(const Event& e) {
    for (const auto& message : {e.waits_for, e.reads})
      if (message && mailbox_.at(*message).chunk != e.chunk)
        throw ScheduleError(e.label + ": its message holds chunk " + std::to_string(mailbox_.at(*message).chunk) +
                            " instead");
    Value value = e.reads ? mailbox_.at(*e.reads) : own(e.rank, e.chunk);
    if (e.adds_own) add(value.count, own(e.rank, e.chunk).count);
    if (e.sends) mailbox_[*e.sends] = value;
    if (e.stores) own(e.rank, e.chunk) = std::move(value);
  }

  static void add(std::vector<int>& count, const std::vector<int>& more) {
    if (count.empty())
      count = more;
    else
      for (std::size_t r = 0; r < more.size(); ++r) count[r] += more[r];
  }

  Size size_;
  std::vector<Goal> goals_;
  std::map<std::pair<int, int>, Value> own_;
  std::map<Message, Value> mailbox_;
};

/// Checks that every rank, at some event, depends on every other rank: a rank that has not begun cannot have sent.
void check_barrier(const EventGraph& graph, int ranks) {
  const auto n = static_cast<std::size_t>(ranks);
  std::vector<std::vector<bool>> heard(graph.events().size(), std::vector<bool>(n, false)), at_rank(n, std::vector<bool>(n));
  for (const std::size_t i : graph.order()) {
    const auto rank = static_cast<std::size_t>(graph.events()[i].rank);
    heard[i][rank] = at_rank[rank][rank] = true;
    for (const std::size_t before : graph.before(i))
      for (std::size_t r = 0; r < n; ++r)
        if (heard[before][r]) heard[i][r] = at_rank[rank][r] = true;
  }
  for (std::size_t rank = 0; rank < n; ++rank)
    for (std::size_t r = 0; r < n; ++r)
      if (r != rank && !at_rank[rank][r])
        throw ScheduleError("rank " + std::to_string(rank) + " may leave the barrier before rank " + std::to_string(r) +
                            " has entered it");
}

void check_order(const EventGraph& graph) {
  check_arrivals(graph);
  check_races(graph);
  check_slots(graph);
}

void prove_allreduce(std::vector<Event> events, Size size) {
  const EventGraph graph(std::move(events));
  check_order(graph);
  Execution(graph, size, {}).check();
}

void prove(std::vector<Event> events, Size size, const std::vector<Goal>& goals, bool barrier) {
  if (!goals.empty() && goals.size() != static_cast<std::size_t>(size.chunks))
    throw ScheduleError(std::to_string(goals.size()) + " goals for " + std::to_string(size.chunks) + " chunks");
  const EventGraph graph(std::move(events));
  check_order(graph);
  Execution execution(graph, size, goals);
  if (!barrier) return execution.check();
  check_barrier(graph, size.ranks);
  execution.check_untouched();
}

}  // namespace

void verify_allreduce(const Schedule& s) { prove_allreduce(events_of(s), {s.ranks, s.chunks}); }
void verify_allreduce(const FusedProgram& p) { prove_allreduce(events_of(p), {p.ranks, p.chunks}); }
void verify(const Schedule& s) { prove(events_of(s), {s.ranks, s.chunks}, s.goals, s.barrier); }
void verify(const FusedProgram& p) { prove(events_of(p), {p.ranks, p.chunks}, p.goals, p.barrier); }

}  // namespace tributary::collective
