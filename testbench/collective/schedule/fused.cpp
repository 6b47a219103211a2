#include "testbench/collective/schedule/fused.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace tributary::collective {
namespace {

using Program = std::vector<Operation>;

bool takes(const Operation& o) { return o.kind == OperationKind::reduce || o.kind == OperationKind::copy; }
MailboxSlot slot_of(const Operation& o) { return {o.peer, o.slot, o.step}; }

/// Lowers one rank: places operations in an order that respects the dependencies, and merges them as they are placed.
class RankFuser {
 public:
  RankFuser(int rank, const Program& program, bool passing_on) : rank_(rank), passing_on_(passing_on), program_(program) {}

  std::vector<FusedStep> run() {
    for (const Operation& o : program_)
      if (takes(o) && !taker_.emplace(key(o), &o).second)
        throw ScheduleError(describe(rank_, o) + " takes the same message as #" + std::to_string(taker_.at(key(o))->id));
    while (placed_.size() < program_.size()) place(next_ready());
    order_steps();
    return std::move(steps_);
  }

 private:
  bool is_placed(int id) const { return placed_.count(id) != 0; }
  bool is_ready(const Operation& o) const {
    return !is_placed(o.id) && std::all_of(o.deps.begin(), o.deps.end(), [&](int d) { return is_placed(d); });
  }

  const Operation& next_ready() {
    while (is_placed(program_[first_open_].id)) ++first_open_;
    for (std::size_t i = first_open_; i < program_.size(); ++i)
      if (is_ready(program_[i])) return program_[i];
    const auto stuck = std::find_if(program_.begin(), program_.end(), [&](const auto& o) { return !is_placed(o.id); });
    throw ScheduleError(describe(rank_, *stuck) + " waits for operations of its own rank that never end");
  }

  void place(const Operation& o) {
    placed_.insert(o.id);
    if (o.kind == OperationKind::receive && taker_of(o) != nullptr) return;  // belongs to the step that takes the message
    step_of_[o.id] = static_cast<int>(steps_.size());
    if (o.kind == OperationKind::send) {
      steps_.push_back({std::nullopt, false, false, slot_of(o), o.chunk});
    } else if (takes(o)) {
      steps_.push_back({slot_of(o), o.kind == OperationKind::reduce, true, std::nullopt, o.chunk});
      if (const Operation* onward = passes_on(o)) {
        placed_.insert(onward->id);
        step_of_[onward->id] = step_of_[o.id];
        steps_.back().send = slot_of(*onward);
      }
    } else {
      steps_.push_back({slot_of(o), false, false, std::nullopt, o.chunk});  // a message that only signals
    }
  }

  /// Orders steps: a step waits for the steps of all dependencies of its operations.
  void order_steps() {
    const auto step_of = [&](const Operation& o) {
      const Operation* taker = o.kind == OperationKind::receive ? taker_of(o) : nullptr;
      return step_of_.at(taker != nullptr ? taker->id : o.id);
    };
    std::map<int, int> step_of_id;
    for (const Operation& o : program_) step_of_id[o.id] = step_of(o);
    std::vector<std::set<int>> after(steps_.size());
    for (const Operation& o : program_)
      for (const int d : o.deps)
        if (step_of_id.at(d) != step_of_id.at(o.id))
          after[static_cast<std::size_t>(step_of_id.at(o.id))].insert(step_of_id.at(d));
    for (std::size_t s = 0; s < steps_.size(); ++s) steps_[s].after.assign(after[s].begin(), after[s].end());
  }

  using Key = std::tuple<int, int, int>;
  static Key key(const Operation& o) { return {o.peer, o.slot, o.step}; }

  /// Returns the operation that takes a received message from its slot, or null.
  const Operation* taker_of(const Operation& receive) const {
    const auto found = taker_.find(key(receive));
    return found == taker_.end() ? nullptr : found->second;
  }

  /// Returns a send of the chunk that `take` produces if it waits for nothing else, or null. (Any other operation that
  /// writes the chunk before that send is one of its dependencies, since the two would race otherwise; then the send is not
  /// ready.)
  const Operation* passes_on(const Operation& take) const {
    for (std::size_t i = first_open_; passing_on_ && i < program_.size(); ++i) {
      const Operation& o = program_[i];
      if (o.kind != OperationKind::send || o.chunk != take.chunk || !is_ready(o)) continue;
      if (std::find(o.deps.begin(), o.deps.end(), take.id) != o.deps.end()) return &o;
    }
    return nullptr;
  }

  int rank_;
  bool passing_on_;
  const Program& program_;
  std::map<Key, const Operation*> taker_;
  std::map<int, int> step_of_;  ///< by operation
  std::set<int> placed_;
  std::size_t first_open_ = 0;  ///< all operations before it are placed
  std::vector<FusedStep> steps_;
};

/// Returns, for each chunk, true if it is a result of the collective at this rank.
std::vector<bool> results(const Schedule& schedule, int rank) {
  std::vector<bool> wanted(static_cast<std::size_t>(schedule.chunks), true);
  for (std::size_t c = 0; c < schedule.goals.size(); ++c) wanted[c] = schedule.goals[c].ends_at(rank);
  return wanted;
}

/// Backward data flow: a value must be stored if the own chunk is read again, or is the result.
void mark_stores(std::vector<FusedStep>& steps, std::vector<bool> wanted) {
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    const auto chunk = static_cast<std::size_t>(step->chunk);
    if (step->store_local) {
      step->store_local = wanted[chunk];
      wanted[chunk] = false;
    }
    if (step->reduce || !step->receive) wanted[chunk] = true;
  }
}

}  // namespace

std::vector<FusedStep> fused_rank(const Schedule& outline, int rank, const std::vector<Operation>& program,
                                  bool passing_on) {
  std::vector<FusedStep> steps = RankFuser(rank, program, passing_on).run();
  mark_stores(steps, results(outline, rank));
  return steps;
}

FusedProgram fuse(const Schedule& schedule, bool passing_on) {
  FusedProgram fused{schedule.algorithm, schedule.ranks,  schedule.chunks, schedule.slots, {},
                     schedule.goals,     schedule.barrier};
  for (int r = 0; r < schedule.ranks; ++r)
    fused.steps.push_back(fused_rank(schedule, r, schedule.programs.at(static_cast<std::size_t>(r)), passing_on));
  return fused;
}

}  // namespace tributary::collective
