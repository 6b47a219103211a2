#include "testbench/collective/algorithm/halving_doubling.h"

#include <utility>

#include "testbench/collective/schedule/program_builder.h"

namespace tributary::collective {
namespace {

/// Ranks that take part in the exchanges, at positions 0 to q - 1.
struct Cores {
  explicit Cores(int ranks) {
    while (2 * count <= ranks) count *= 2;
    pairs = ranks - count;
  }
  bool folded(int rank) const { return rank < 2 * pairs; }
  bool spare(int rank) const { return folded(rank) && rank % 2 == 1; }
  int place(int rank) const { return folded(rank) ? rank / 2 : rank - pairs; }
  int rank(int place) const { return place < pairs ? 2 * place : place + pairs; }

  /// Step in which spare ranks receive the result. They send in step 0; the 2 log2(count) exchanges lie between.
  int last_step() const {
    int step = 1;
    for (int bit = 1; bit < count; bit *= 2) step += 2;
    return step;
  }

  int count = 1, pairs = 0;
};

/// Slots: `chunk` for reductions, `chunks + chunk` for copies; a pair of ranks uses each slot at most once.
class RankProgram {
 public:
  RankProgram(int rank, const Cores& cores)
      : cores_(cores), rank_(rank), ready_(static_cast<std::size_t>(cores.count), ProgramBuilder::nothing) {}

  std::vector<Operation> build() {
    if (cores_.spare(rank_)) {
      for (int c = 0; c < cores_.count; ++c) send(rank_ - 1, c, c);
      program_.at_step(cores_.last_step());
      for (int c = 0; c < cores_.count; ++c) take(OperationKind::copy, rank_ - 1, c);
      return program_.finish();
    }
    if (cores_.folded(rank_))
      for (int c = 0; c < cores_.count; ++c) take(OperationKind::reduce, rank_ + 1, c);
    int step = 0;
    for (int bit = 1; bit < cores_.count; bit *= 2) program_.at_step(++step), halve(bit);
    for (int bit = cores_.count / 2; bit >= 1; bit /= 2) program_.at_step(++step), double_up(bit);
    program_.at_step(cores_.last_step());
    if (cores_.folded(rank_))
      for (int c = 0; c < cores_.count; ++c) send(rank_ + 1, c, cores_.count + c);
    return program_.finish();
  }

 private:
  /// Chunks still held before the exchange over `bit` are those that agree with the position in all lower bits.
  void halve(int bit) {
    const int place = cores_.place(rank_), partner = cores_.rank(place ^ bit), known = bit - 1;
    for (int c = 0; c < cores_.count; ++c)
      if (((c ^ place) & known) == 0 && ((c ^ place) & bit) != 0) send(partner, c, c);
    for (int c = 0; c < cores_.count; ++c)
      if (((c ^ place) & (known | bit)) == 0) take(OperationKind::reduce, partner, c);
  }

  void double_up(int bit) {
    const int place = cores_.place(rank_), partner = cores_.rank(place ^ bit), known = bit - 1;
    for (int c = 0; c < cores_.count; ++c)
      if (((c ^ place) & (known | bit)) == 0) send(partner, c, cores_.count + c);
    for (int c = 0; c < cores_.count; ++c)
      if (((c ^ place) & known) == 0 && ((c ^ place) & bit) != 0) take(OperationKind::copy, partner, c);
  }

  void send(int peer, int chunk, int slot) {
    last_send_ = program_.send(peer, chunk, slot, {ready_[static_cast<std::size_t>(chunk)], last_send_});
  }

  void take(OperationKind kind, int peer, int chunk) {
    int& ready = ready_[static_cast<std::size_t>(chunk)];
    const int slot = kind == OperationKind::reduce ? chunk : cores_.count + chunk;
    ready = last_take_ = program_.take(kind, peer, chunk, slot, {last_take_},
                                       kind == OperationKind::reduce ? ready : ProgramBuilder::nothing);
  }

  const Cores& cores_;
  int rank_;
  std::vector<int> ready_;  ///< [chunk] operation that produced its current value
  int last_send_ = ProgramBuilder::nothing, last_take_ = ProgramBuilder::nothing;
  ProgramBuilder program_;
};

}  // namespace

Schedule halving_doubling_allreduce(int ranks) {
  if (ranks < 1) throw ScheduleError("halving_doubling: " + std::to_string(ranks) + " ranks; at least 1");
  const Cores cores(ranks);
  Schedule schedule{"halving_doubling", ranks, cores.count, 2 * cores.count, {}};
  for (int r = 0; r < ranks; ++r) schedule.programs.push_back(RankProgram(r, cores).build());
  return schedule;
}

}  // namespace tributary::collective
