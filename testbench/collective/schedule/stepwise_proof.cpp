#include "testbench/collective/schedule/stepwise_proof.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "modules/base/index.h"
#include "testbench/collective/schedule/chunk_proof.h"
#include "testbench/collective/schedule/symbolic.h"
#include "testbench/collective/schedule/symmetric_proof.h"

namespace tributary::collective {
namespace {

using Program = std::vector<Operation>;

/// Position in the order of steps. A message leads from (step, 0) to (step, 1), any other dependency to the same or a later
/// position, and in order within a rank: there is no cycle.
std::pair<int, int> place(const Operation& o) { return {o.step, o.kind == OperationKind::send ? 0 : 1}; }

void check_steps(int rank, const Program& program, const Schedule& s) {
  for (std::size_t i = 0; i < program.size(); ++i) {
    const Operation& o = program[i];
    const auto refuse = [&](const std::string& why) { throw ScheduleError(describe(rank, o) + why); };
    if (o.chunk < 0 || o.chunk >= s.chunks) refuse(": there is no such chunk");
    if (o.peer < 0 || o.peer >= s.ranks || o.peer == rank) refuse(": there is no such peer");
    if (o.slot < 0 || o.slot >= s.slots) refuse(": there is no such slot");
    if (o.id != static_cast<int>(i)) refuse(": the ids of a rank must be 0, 1, 2 ...");
    for (const int d : o.deps)
      if (d < 0 || at(d) >= i || place(program[at(d)]) > place(o))
        refuse(" waits for #" + std::to_string(d) + ", which does not precede it in the order of steps");
  }
}

/// Operations of a rank that each operation waits for, directly or indirectly, within the rank: one bit per operation.
class LocalOrder {
 public:
  explicit LocalOrder(const Program& program) : words_(program.size() / 64 + 1), before_(program.size() * words_) {
    for (std::size_t i = 0; i < program.size(); ++i)
      for (const int d : program[i].deps) {
        const std::uint64_t* earlier = before_.data() + at(d) * words_;
        std::uint64_t* mine = before_.data() + i * words_;
        for (std::size_t w = 0; w <= at(d) / 64; ++w) mine[w] |= earlier[w];
        mine[at(d) / 64] |= std::uint64_t{1} << at(d) % 64;
      }
  }
  bool precedes(int a, int b) const { return (before_[at(b) * words_ + at(a) / 64] >> at(a) % 64 & 1) != 0; }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> before_;  ///< [operation][word]
};

void check_slots(const Schedule& schedule) {
  for (int r = 0; r < schedule.ranks; ++r) {
    std::map<std::pair<int, int>, int> chunk;  // by peer and slot
    for (const Operation& o : schedule.programs[at(r)])
      if (o.kind == OperationKind::receive && chunk.try_emplace({o.peer, o.slot}, o.chunk).first->second != o.chunk)
        throw ScheduleError(describe(r, o) + ": another chunk uses the same slot");
  }
}

class Prover {
 public:
  explicit Prover(const Schedule& schedule)
      : schedule_(schedule), by_chunk_(at(schedule.chunks)), ordered_(at(schedule.chunks), true) {
    for (int r = 0; r < schedule.ranks; ++r) check_rank(r);
  }

  void prove() {
    std::vector<bool> open(by_chunk_.size(), false);
    bool any = false;
    for (std::size_t c = 0; c < by_chunk_.size(); ++c)
      any |= open[c] = !ordered_[c] || !holds_exactly_once(by_chunk_[c], schedule_.ranks, goal(c));
    if (any) prove_at_length(open);
  }

 private:
  Goal goal(std::size_t chunk) const { return schedule_.goals.empty() ? Goal{} : schedule_.goals.at(chunk); }

  /// Clears `ordered_` of chunks that the rank's own order does not order completely.
  void check_rank(int rank) {
    const Program& program = schedule_.programs[at(rank)];
    const LocalOrder order(program);
    for (const Operation& o : program) {
      auto& chunk = by_chunk_[at(o.chunk)];
      RankOperation here{rank, &o};
      if (ordered_[at(o.chunk)]) ordered_[at(o.chunk)] = follows(here, chunk, order);
      chunk.push_back(here);
    }
  }

  /// Returns true if an operation that takes a message follows its receive, a receive follows the operations that took from
  /// its slot, and two operations, one of them a write of the chunk, follow each other. Writes after sends may be left to
  /// the order of messages.
  static bool follows(RankOperation& here, const std::vector<RankOperation>& chunk, const LocalOrder& order) {
    const Operation& o = *here.operation;
    const int rank = here.rank;
    const auto writes = [](const Operation& x) { return x.kind == OperationKind::reduce || x.kind == OperationKind::copy; };
    if (o.kind == OperationKind::receive) {
      for (auto e = chunk.rbegin(); e != chunk.rend() && e->rank == rank; ++e)
        if (const Operation& earlier = *e->operation; earlier.kind != OperationKind::send && earlier.peer == o.peer)
          if (earlier.slot == o.slot && !order.precedes(earlier.id, o.id)) return false;
      return true;
    }
    bool received = !writes(o);
    for (auto e = chunk.rbegin(); e != chunk.rend() && e->rank == rank; ++e) {
      const Operation& earlier = *e->operation;
      const bool before = order.precedes(earlier.id, o.id);
      if (earlier.kind == OperationKind::receive)
        received |= before && earlier.peer == o.peer && earlier.slot == o.slot && earlier.step == o.step;
      else if (!before && writes(o) && !writes(earlier))
        here.over_sends = true;
      else if (!before && (writes(o) || writes(earlier)))
        return false;
    }
    return received;
  }

  /// Proves each open chunk by verify(), with the order within its ranks.
  void prove_at_length(const std::vector<bool>& open) const {
    std::vector<std::vector<std::pair<int, Operation>>> chunks(open.size());
    for (int r = 0; r < schedule_.ranks; ++r) {
      const LocalOrder order(schedule_.programs[at(r)]);
      for (const Operation& o : schedule_.programs[at(r)])
        if (open[at(o.chunk)]) chunks[at(o.chunk)].emplace_back(r, alone(o, r, chunks[at(o.chunk)], order));
    }
    for (std::size_t c = 0; c < open.size(); ++c) {
      if (!open[c]) continue;
      Schedule one{
          schedule_.algorithm, schedule_.ranks, 1, schedule_.slots, std::vector<Program>(at(schedule_.ranks)), {goal(c)}};
      for (const auto& [rank, operation] : chunks[c]) one.programs[at(rank)].push_back(operation);
      verify(one);
    }
  }

  /// Returns the operation as if its chunk were the only one.
  static Operation alone(const Operation& o, int rank, const std::vector<std::pair<int, Operation>>& chunk,
                         const LocalOrder& order) {
    Operation kept = o;
    kept.chunk = 0;
    kept.deps.clear();
    for (auto earlier = chunk.rbegin(); earlier != chunk.rend() && earlier->first == rank; ++earlier)
      if (order.precedes(earlier->second.id, o.id)) kept.deps.push_back(earlier->second.id);
    return kept;
  }

  const Schedule& schedule_;
  std::vector<std::vector<RankOperation>> by_chunk_;
  std::vector<bool> ordered_;  ///< [chunk]
};

}  // namespace

void verify_by_chunk(const Schedule& schedule) {
  if (schedule.barrier) throw ScheduleError(schedule.algorithm + ": a barrier cannot be proved chunk by chunk");
  if (schedule.programs.size() != at(schedule.ranks))
    throw ScheduleError(schedule.algorithm + ": " + std::to_string(schedule.programs.size()) + " programs for " +
                        std::to_string(schedule.ranks) + " ranks");
  if (!schedule.goals.empty() && schedule.goals.size() != at(schedule.chunks))
    throw ScheduleError(std::to_string(schedule.goals.size()) + " goals for " + std::to_string(schedule.chunks) + " chunks");
  for (int r = 0; r < schedule.ranks; ++r) check_steps(r, schedule.programs[at(r)], schedule);
  check_slots(schedule);
  Prover(schedule).prove();
}

/// Number of operations for which verify() takes some seconds.
static constexpr std::size_t most_operations = 60000;

void verify_any(const Schedule& schedule) {
  if (holds_by_symmetry(schedule)) return;
  std::size_t operations = 0;
  for (const Program& program : schedule.programs) operations += program.size();
  operations <= most_operations ? verify(schedule) : verify_by_chunk(schedule);
}

void verify_any(const FusedProgram& program) {
  std::size_t steps = 0;
  for (const auto& of_rank : program.steps) steps += of_rank.size();
  if (steps <= most_operations) verify(program);
}

}  // namespace tributary::collective
