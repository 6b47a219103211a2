#include "testbench/collective/schedule/symmetric_proof.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "modules/base/index.h"
#include "testbench/collective/schedule/class_graph.h"

namespace tributary::collective {
namespace {

/// Number of times that a value contains each rank's operand; empty: an undefined value.
using Counts = std::vector<int>;

/// Executes the events of the class graph in an order of execution, and checks each against those before it.
class ClassExecution {
 public:
  ClassExecution(const Symmetry& symmetry, const ClassGraph& graph, const ScheduleShape& shape, Landing landing)
      : symmetry_(symmetry),
        graph_(graph),
        shape_(shape),
        landing_(landing),
        clock_(graph.size()),
        value_(graph.size()),
        users_of_clock_(graph.size(), 0),
        users_of_value_(graph.size(), 0) {
    for (std::size_t e = 0; e < graph.size(); ++e) {
      for (const std::size_t b : graph.before(e)) ++users_of_clock_[b];
      if (graph.event(e).from != RankEvent::no_peer) ++users_of_clock_[graph.sender(e).event];
      if (graph.event(e).reads) ++users_of_value_[graph.sender(e).event];
    }
  }

  bool run() {
    return std::all_of(graph_.order().begin(), graph_.order().end(), [&](std::size_t e) { return run(e); }) && ends_well();
  }

 private:
  using Clock = std::vector<std::uint32_t>;  ///< [rank x chains + chain] last event of the chain that happens before
  struct Uses {
    std::vector<std::size_t> all;  ///< every event that reads or writes the chunk
    std::size_t unordered = 0;     ///< index in `all` of the last write, or of the first read if there is none
    bool written = false;
  };

  bool run(std::size_t e) {
    set_clock(e);
    if (!waits_for_its_message(e) || !free_slot(e) || !no_race(e) || !may_land(e)) return false;
    execute(e);
    for (const std::size_t b : graph_.before(e)) drop_clock(b);
    if (graph_.event(e).from != RankEvent::no_peer) drop_clock(graph_.sender(e).event);
    return true;
  }

  std::size_t index(int rank, std::size_t chain) const { return at(rank) * graph_.chains() + chain; }

  void set_clock(std::size_t e) {
    Clock& clock = clock_[e];
    clock.assign(at(shape_.ranks) * graph_.chains(), 0);
    for (const std::size_t b : graph_.before(e))
      for (std::size_t i = 0; i < clock.size(); ++i) clock[i] = std::max(clock[i], clock_[b][i]);
    if (graph_.event(e).waits) {
      const ClassGraph::Place from = graph_.sender(e);
      const Clock& known = clock_[from.event];
      for (int r = 0; r < shape_.ranks; ++r) {
        const std::size_t mine = index(symmetry_.renamed(from.renaming, r), 0), other = index(r, 0);
        for (std::size_t c = 0; c < graph_.chains(); ++c) clock[mine + c] = std::max(clock[mine + c], known[other + c]);
      }
    }
    clock[index(graph_.rank_of(e), graph_.chain(e))] = graph_.position(e);
  }

  void drop_clock(std::size_t e) {
    if (--users_of_clock_[e] == 0) Clock().swap(clock_[e]);
  }

  /// True if event `a` at `rank` of its class ends before `b` begins.
  bool happens_before(std::size_t a, int rank, std::size_t b) const {
    return (a != b || rank != graph_.rank_of(b)) && clock_[b][index(rank, graph_.chain(a))] >= graph_.position(a);
  }

  bool waits_for_its_message(std::size_t e) const {
    if (!graph_.event(e).reads) return true;
    const std::size_t arrival = graph_.reception(graph_.sender(e).event).arrival;
    return arrival == e || graph_.precedes_locally(arrival, e);
  }

  /// A slot receives its next message, and is polled for it, only after the last one has been read.
  bool free_slot(std::size_t e) {
    const RankEvent& event = graph_.event(e);
    if (!event.sends()) return true;
    const auto [last, first_use] = last_in_slot_.try_emplace({graph_.class_of(e), event.to, event.out_slot}, e);
    const std::size_t before = std::exchange(last->second, e);
    if (first_use) return true;
    for (const std::size_t reader : graph_.reception(before).readers)
      if (!happens_before(reader, event.to, e) || !graph_.precedes_locally(reader, graph_.reception(e).arrival))
        return false;
    return true;
  }

  /// Any two events of a rank are ordered if one writes a chunk and the other uses it.
  bool no_race(std::size_t e) {
    const RankEvent& event = graph_.event(e);
    if (!event.touches_own()) return true;
    Uses& uses = uses_[{graph_.class_of(e), event.chunk}];
    const int rank = graph_.rank_of(e);
    const std::size_t end = event.stores ? uses.all.size() : uses.unordered + (uses.written ? 1 : 0);
    for (std::size_t i = uses.unordered; i < end; ++i)
      if (!happens_before(uses.all[i], rank, e)) return false;
    if (event.stores) uses.unordered = uses.all.size(), uses.written = true;
    uses.all.push_back(e);
    return true;
  }

  /// All earlier events of the receiver on a chunk end before the message that is written into the chunk is sent.
  bool may_land(std::size_t e) const {
    const RankEvent& event = graph_.event(e);
    if (landing_ == Landing::mailboxes || !event.reads || event.adds_own || !event.stores) return true;
    const ClassGraph::Place sender = graph_.sender(e);
    const int rank = symmetry_.undone(sender.renaming, graph_.rank_of(e));  // as the sender's class sees this rank
    const std::vector<std::size_t>& users = uses_.at({graph_.class_of(e), event.chunk}).all;
    return std::all_of(users.begin(), users.end() - 1,
                       [&](std::size_t user) { return happens_before(user, rank, sender.event); });
  }

  Counts& own(std::size_t of_class, int chunk) {
    const auto [found, first_use] = own_.try_emplace({of_class, chunk});
    const int rank = symmetry_.representatives()[of_class];
    if (first_use && shape_.goal(chunk).starts_at(rank)) {
      found->second.assign(at(shape_.ranks), 0);
      found->second[at(rank)] = 1;
    }
    return found->second;
  }

  void execute(std::size_t e) {
    const RankEvent& event = graph_.event(e);
    Counts value = event.reads ? message(graph_.sender(e)) : event.sends() ? own(graph_.class_of(e), event.chunk) : Counts();
    if (event.adds_own) add(value, own(graph_.class_of(e), event.chunk));
    if (event.sends() && users_of_value_[e] > 0) value_[e] = value;
    if (event.stores) own(graph_.class_of(e), event.chunk) = std::move(value);
  }

  Counts message(const ClassGraph::Place& sender) {
    const Counts& known = value_[sender.event];
    Counts value(known.size());
    for (std::size_t r = 0; r < known.size(); ++r)
      value[at(symmetry_.renamed(sender.renaming, static_cast<int>(r)))] = known[r];
    if (--users_of_value_[sender.event] == 0) Counts().swap(value_[sender.event]);
    return value;
  }

  static void add(Counts& sum, const Counts& more) {
    if (sum.empty())
      sum = more;
    else
      for (std::size_t r = 0; r < more.size(); ++r) sum[r] += more[r];
  }

  /// Chunks that no program names keep their first values, as do those that the rank does not use.
  bool ends_well() {
    std::vector<bool> named(at(shape_.chunks), false);
    for (const Renaming& generator : symmetry_.generators())
      for (std::size_t c = 0; c < named.size(); ++c) named[c] = named[c] || generator.chunk[c] != Renaming::unused;
    for (int c = 0; c < shape_.chunks; ++c) {
      const Goal goal = shape_.goal(c);
      for (std::size_t k = 0; k < symmetry_.representatives().size(); ++k)
        if (goal.ends_at(symmetry_.representatives()[k]) && !ends_well(goal, own(k, c))) return false;
      for (int r = 0; !named[at(c)] && r < shape_.ranks; ++r)
        if (goal.ends_at(r) && !keeps(goal, r)) return false;
    }
    return true;
  }
  bool ends_well(const Goal& goal, const Counts& value) const {
    for (int r = 0; r < shape_.ranks; ++r)
      if ((value.empty() ? 0 : value[at(r)]) != (goal.starts_at(r) ? 1 : 0)) return false;
    return true;
  }
  /// True if the first value of the rank is that of the goal.
  bool keeps(const Goal& goal, int rank) const {
    for (int r = 0; r < shape_.ranks; ++r)
      if (r != rank && goal.starts_at(r)) return false;
    return true;
  }

  const Symmetry& symmetry_;
  const ClassGraph& graph_;
  const ScheduleShape& shape_;
  Landing landing_;
  std::vector<Clock> clock_;   ///< [event] empty after its last use
  std::vector<Counts> value_;  ///< [event] value of the message that it sends, until it has been read
  std::vector<std::size_t> users_of_clock_, users_of_value_;
  std::map<std::pair<std::size_t, int>, Uses> uses_;                       ///< by class and chunk
  std::map<std::pair<std::size_t, int>, Counts> own_;                      ///< by class and chunk
  std::map<std::tuple<std::size_t, int, int>, std::size_t> last_in_slot_;  ///< by class, peer and slot
};

ScheduleShape shape_of(const Schedule& s) { return {s.ranks, s.chunks, s.slots, s.goals}; }

bool holds(const EventSource& source, const ScheduleShape& shape, Landing landing) {
  const std::optional<Symmetry> symmetry = Symmetry::find(source, shape);
  return symmetry && holds_by_symmetry(*symmetry, source, shape, landing);
}

}  // namespace

bool holds_by_symmetry(const Symmetry& symmetry, const EventSource& source, const ScheduleShape& shape, Landing landing) {
  constexpr std::size_t most_chains = 64;
  const ClassGraph graph(symmetry, source);
  return graph.valid() && graph.chains() <= most_chains && ClassExecution(symmetry, graph, shape, landing).run();
}

std::optional<Symmetry> proved_symmetry(const RankPrograms& programs) {
  if (programs.outline.barrier) return std::nullopt;
  const EventSource source = [&](int rank, RankEvents& events) { return append_events(programs.program(rank), events); };
  const ScheduleShape shape = shape_of(programs.outline);
  std::optional<Symmetry> symmetry = Symmetry::find(source, shape);
  if (symmetry && !holds_by_symmetry(*symmetry, source, shape, Landing::mailboxes)) return std::nullopt;
  return symmetry;
}

bool holds_by_symmetry(const Schedule& schedule) {
  if (schedule.barrier || schedule.programs.size() != at(schedule.ranks)) return false;
  const EventSource source = [&](int rank, RankEvents& events) {
    return append_events(schedule.programs[at(rank)], events);
  };
  return holds(source, shape_of(schedule), Landing::mailboxes);
}

bool holds_by_symmetry(const FusedProgram& program) {
  if (program.barrier || program.steps.size() != at(program.ranks)) return false;
  const EventSource source = [&](int rank, RankEvents& events) { return append_events(program.steps[at(rank)], events); };
  return holds(source, {program.ranks, program.chunks, program.slots, program.goals}, Landing::directly);
}

}  // namespace tributary::collective
