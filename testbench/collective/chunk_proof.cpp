#include "testbench/collective/chunk_proof.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>

namespace tributary::collective {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Whose operands a value holds; none: a value that means nothing.
using Operands = std::vector<std::uint64_t>;

bool is_empty(const Operands& value) {
  return std::all_of(value.begin(), value.end(), [](std::uint64_t word) { return word == 0; });
}

void insert(Operands& value, int rank) { value[at(rank) / 64] |= std::uint64_t{1} << at(rank) % 64; }

class Execution {
 public:
  Execution(int ranks, const Flow& flow) : ranks_(ranks), flow_(flow), own_(at(ranks), Operands(at(ranks) / 64 + 1)) {
    for (int r = 0; r < ranks; ++r)
      if (flow.starts_at(r)) insert(own_[at(r)], r);
  }

  bool run(const RankOperation& o) {
    const Operation& op = *o.operation;
    if (op.kind == OperationKind::send) return send(o.rank, op);
    const auto found = mailbox_.find(key(op.peer, o.rank, op.slot));
    if (found == mailbox_.end() || found->second.step != op.step) return false;
    Letter& letter = found->second;
    if (op.kind == OperationKind::receive) return !std::exchange(letter.received, true);
    if (!letter.received || std::exchange(letter.taken, true)) return false;
    ++taken_;
    return op.kind == OperationKind::copy ? (own_[at(o.rank)].swap(letter.value), true)
                                          : add(own_[at(o.rank)], letter.value);
  }

  bool finished() const {
    if (taken_ != mailbox_.size()) return false;
    Operands wanted(at(ranks_) / 64 + 1);
    for (int r = 0; r < ranks_; ++r)
      if (flow_.starts_at(r)) insert(wanted, r);
    for (int r = 0; r < ranks_; ++r)
      if (flow_.ends_at(r) && own_[at(r)] != wanted) return false;
    return true;
  }

 private:
  struct Letter {
    Operands value;
    int step = 0;
    bool received = false, taken = false;
  };

  std::uint64_t key(int from, int to, int slot) const {
    return (static_cast<std::uint64_t>(slot) * at(ranks_) + at(from)) * at(ranks_) + at(to);
  }

  bool send(int rank, const Operation& op) {
    const Operands& value = own_[at(rank)];
    return !is_empty(value) && mailbox_.try_emplace(key(rank, op.peer, op.slot), Letter{value, op.step}).second;
  }

  static bool add(Operands& sum, const Operands& more) {
    if (is_empty(sum)) return false;
    for (std::size_t w = 0; w < sum.size(); ++w) {
      if ((sum[w] & more[w]) != 0) return false;
      sum[w] |= more[w];
    }
    return true;
  }

  int ranks_;
  const Flow& flow_;
  std::vector<Operands> own_;                          ///< [rank]
  std::unordered_map<std::uint64_t, Letter> mailbox_;  ///< all messages, looked up only
  std::size_t taken_ = 0;
};

}  // namespace

bool holds_exactly_once(const std::vector<RankOperation>& operations, int ranks, const Flow& flow) {
  std::vector<RankOperation> in_order = operations;
  const auto place = [](const RankOperation& o) {
    return std::pair(o.operation->step, o.operation->kind == OperationKind::send ? 0 : 1);
  };
  std::stable_sort(in_order.begin(), in_order.end(),
                   [&](const RankOperation& a, const RankOperation& b) { return place(a) < place(b); });
  Execution execution(ranks, flow);
  return std::all_of(in_order.begin(), in_order.end(), [&](const RankOperation& o) { return execution.run(o); }) &&
         execution.finished();
}

}  // namespace tributary::collective
