#pragma once
/// Builds the program of one rank.

#include <initializer_list>
#include <utility>
#include <vector>

#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

/// Operations have the ids 0, 1, 2 ... A dependency on `nothing` is ignored.
class ProgramBuilder {
 public:
  static constexpr int nothing = -1;

  int send(int peer, int chunk, int slot, std::initializer_list<int> after) {
    return add(OperationKind::send, peer, chunk, slot, after);
  }
  /// Adds a receive that waits for `after`, and the reduce or copy of its message. Returns the id of the reduce or copy.
  int take(OperationKind kind, int peer, int chunk, int slot, std::initializer_list<int> after, int before_kind = nothing) {
    const int received = receive(peer, chunk, slot, after);
    return add(kind, peer, chunk, slot, {received, before_kind});
  }
  int receive(int peer, int chunk, int slot, std::initializer_list<int> after) {
    return add(OperationKind::receive, peer, chunk, slot, after);
  }
  /// Sets the step of the operations added from now on.
  void at_step(int step) { step_ = step; }
  std::vector<Operation> finish() { return std::move(program_); }

 private:
  int add(OperationKind kind, int peer, int chunk, int slot, std::initializer_list<int> after) {
    Operation o{kind, static_cast<int>(program_.size()), peer, chunk, slot, step_, {}};
    for (const int id : after)
      if (id != nothing) o.deps.push_back(id);
    program_.push_back(o);
    return o.id;
  }

  std::vector<Operation> program_;
  int step_ = 0;
};

}  // namespace tributary::collective
