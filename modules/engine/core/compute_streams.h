#pragma once
/// ComputeStreams: the rules of a compute engine: one task at a time, uncut, at a rate that software of communication
/// lowers (one SM for each channel of NCCL).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/engine/core/paced_work.h"
#include "modules/engine/core/task_program.h"

namespace tributary {

/// Tasks of a stream begin in their order. Of the next tasks of its streams the engine takes the one that has been ready
/// longest, of several the first listed. What is left of a task is counted in ps x 80, so that changes of the rate are
/// exact.
class ComputeStreams {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void compute_begun(std::uint32_t task, Tick now) = 0;
    virtual void compute_ended(std::uint32_t task, Tick now) = 0;
  };
  explicit ComputeStreams(Listener& listener) : listener_(listener) {}

  /// The program must stay until the next load() or reset().
  void load(const TaskProgram& program);
  /// run() at the same instant begins it, if it may.
  void ready(std::uint32_t task, Tick now) { since_[task] = now; }
  /// So many of all_multiprocessors are taken from now on; one at least is left.
  void set_taken(unsigned multiprocessors, Tick now);
  /// When the task ends that runs; `never`: none does.
  Tick next() const { return running_ ? work_.end() : never; }
  /// Ends what ends, begins what may begin.
  void run(Tick now);

  std::vector<std::string> waiting() const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  struct Stream {
    std::uint32_t number = 0;
    std::vector<std::uint32_t> tasks;
    std::size_t first = 0;  // that has not begun

    bool empty() const { return first == tasks.size(); }
    std::uint32_t front() const { return tasks[first]; }
  };
  void begin_next(Tick now);

  Listener& listener_;
  const TaskProgram* program_ = nullptr;
  std::vector<Stream> streams_;
  std::vector<Tick> since_;  // by task: ready since then
  std::optional<std::uint32_t> running_;
  PacedWork work_;
  unsigned rate_ = all_multiprocessors;
  SignalProbe task_, busy_, shown_rate_;
};

}  // namespace tributary
