#include "testbench/collective/stepwise_proof.h"

#include <map>
#include <string>
#include <utility>

#include "testbench/collective/symbolic.h"

namespace tributary::collective {
namespace {

using Program = std::vector<Operation>;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Sends and their messages go from (step, 0) to (step, 1), all else goes up or stays, and within a rank in order: no cycle.
std::pair<int, int> place(const Operation& o) { return {o.step, o.kind == OperationKind::send ? 0 : 1}; }

void check_steps(int rank, const Program& program, int chunks) {
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (program[i].chunk < 0 || program[i].chunk >= chunks)
      throw ScheduleError(describe(rank, program[i]) + ": there is no such chunk");
    if (program[i].id != static_cast<int>(i))
      throw ScheduleError(describe(rank, program[i]) + ": ids must count the operations of a rank");
    for (const int d : program[i].deps)
      if (d < 0 || at(d) >= i || place(program[at(d)]) > place(program[i]))
        throw ScheduleError(describe(rank, program[i]) + " waits for #" + std::to_string(d) +
                            ", which is not before it in the order of steps");
  }
}

/// What an operation of a rank waits for, however indirectly, within the rank: one bit for each operation.
class LocalOrder {
 public:
  explicit LocalOrder(const Program& program) : words_(program.size() / 64 + 1), before_(program.size() * words_) {
    for (std::size_t i = 0; i < program.size(); ++i)
      for (const int d : program[i].deps) {
        for (std::size_t w = 0; w < words_; ++w) before_[i * words_ + w] |= before_[at(d) * words_ + w];
        before_[i * words_ + at(d) / 64] |= std::uint64_t{1} << at(d) % 64;
      }
  }
  bool precedes(int a, int b) const { return (before_[at(b) * words_ + at(a) / 64] >> at(a) % 64 & 1) != 0; }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> before_;  ///< [operation][word]
};

struct RankOperation {
  int rank = 0;
  Operation operation;
};

/// The operations on each chunk, as if it were the only one, with their orders among themselves.
std::vector<std::vector<RankOperation>> by_chunk(const Schedule& whole) {
  std::vector<std::vector<RankOperation>> chunks(at(whole.chunks));
  for (int r = 0; r < whole.ranks; ++r) {
    const LocalOrder order(whole.programs[at(r)]);
    for (const Operation& o : whole.programs[at(r)]) {
      auto& chunk = chunks[at(o.chunk)];
      Operation kept = o;
      kept.chunk = 0;
      kept.deps.clear();
      for (auto earlier = chunk.rbegin(); earlier != chunk.rend() && earlier->rank == r; ++earlier)
        if (order.precedes(earlier->operation.id, o.id)) kept.deps.push_back(earlier->operation.id);
      chunk.push_back({r, std::move(kept)});
    }
  }
  return chunks;
}

void check_slots(const Schedule& schedule) {
  for (int r = 0; r < schedule.ranks; ++r) {
    std::map<std::pair<int, int>, int> chunk;  // of a slot for a peer
    for (const Operation& o : schedule.programs[at(r)])
      if (o.kind == OperationKind::receive && chunk.try_emplace({o.peer, o.slot}, o.chunk).first->second != o.chunk)
        throw ScheduleError(describe(r, o) + ": another chunk uses the same slot");
  }
}

}  // namespace

void verify_by_chunk(const Schedule& schedule) {
  if (schedule.barrier) throw ScheduleError(schedule.algorithm + ": a barrier has no chunks to be proved by");
  if (schedule.programs.size() != at(schedule.ranks))
    throw ScheduleError(schedule.algorithm + ": " + std::to_string(schedule.programs.size()) + " programs for " +
                        std::to_string(schedule.ranks) + " ranks");
  for (int r = 0; r < schedule.ranks; ++r) check_steps(r, schedule.programs[at(r)], schedule.chunks);
  check_slots(schedule);
  const auto chunks = by_chunk(schedule);
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    Schedule one{schedule.algorithm, schedule.ranks, 1, schedule.slots, std::vector<Program>(at(schedule.ranks))};
    if (!schedule.flows.empty()) one.flows = {schedule.flows.at(c)};
    for (const auto& [rank, operation] : chunks[c]) one.programs[at(rank)].push_back(operation);
    verify(one);
  }
}

void verify_any(const Schedule& schedule) {
  std::size_t operations = 0;
  for (const Program& program : schedule.programs) operations += program.size();
  constexpr std::size_t most = 60000;
  operations <= most ? verify(schedule) : verify_by_chunk(schedule);
}

}  // namespace tributary::collective
