#include "testbench/collective/schedule/rank_events.h"

#include <unordered_map>

namespace tributary::collective {
namespace {

/// Positions of operations by id. Most programs number their operations 0, 1, 2 ...
class Positions {
 public:
  explicit Positions(const std::vector<Operation>& program) : size_(program.size()) {
    for (std::size_t i = 0; i < size_ && plain_; ++i) plain_ = program[i].id == static_cast<int>(i);
    for (std::size_t i = 0; i < size_ && !plain_; ++i) unique_ &= by_id_.emplace(program[i].id, i).second;
  }
  bool unique() const { return unique_; }
  /// Returns the number of operations if there is no such id.
  std::size_t of(int id) const {
    if (plain_) return id < 0 ? size_ : static_cast<std::size_t>(id);
    const auto found = by_id_.find(id);
    return found == by_id_.end() ? size_ : found->second;
  }

 private:
  std::size_t size_;
  bool plain_ = true, unique_ = true;
  std::unordered_map<int, std::size_t> by_id_;
};

RankEvent event_of(const Operation& o) {
  RankEvent e;
  e.chunk = o.chunk, e.id = o.id;
  if (o.kind == OperationKind::send) {
    e.to = o.peer, e.out_slot = o.slot, e.out_step = o.step;
    return e;
  }
  e.from = o.peer, e.in_slot = o.slot, e.in_step = o.step;
  e.waits = o.kind == OperationKind::receive;
  e.reads = e.stores = !e.waits;
  e.adds_own = o.kind == OperationKind::reduce;
  return e;
}

}  // namespace

bool append_events(const std::vector<Operation>& program, RankEvents& events) {
  const Positions positions(program);
  if (!positions.unique()) return false;
  for (const Operation& o : program) {
    if (o.peer < 0) return false;
    RankEvent e = event_of(o);
    e.first_after = static_cast<std::uint32_t>(events.after.size());
    for (const int d : o.deps) {
      const std::size_t before = positions.of(d);
      if (before >= program.size()) return false;
      events.after.push_back(static_cast<std::uint32_t>(before));
    }
    e.end_after = static_cast<std::uint32_t>(events.after.size());
    events.events.push_back(e);
  }
  return true;
}

bool append_events(const std::vector<FusedStep>& steps, RankEvents& events) {
  for (const FusedStep& s : steps) {
    RankEvent e;
    e.chunk = s.chunk;
    if (s.receive) e.from = s.receive->peer, e.in_slot = s.receive->slot, e.in_step = s.receive->step;
    if (s.send) e.to = s.send->peer, e.out_slot = s.send->slot, e.out_step = s.send->step;
    e.waits = e.reads = s.receive.has_value();
    e.adds_own = s.reduce, e.stores = s.store_local;
    if (!s.receive && (s.reduce || s.store_local)) return false;
    if ((s.receive && s.receive->peer < 0) || (s.send && s.send->peer < 0)) return false;
    e.first_after = static_cast<std::uint32_t>(events.after.size());
    for (const int before : s.after) {
      if (before < 0 || static_cast<std::size_t>(before) >= steps.size()) return false;
      events.after.push_back(static_cast<std::uint32_t>(before));
    }
    e.end_after = static_cast<std::uint32_t>(events.after.size());
    events.events.push_back(e);
  }
  return true;
}

}  // namespace tributary::collective
