#pragma once
/// ComputeStreams: the rules of a compute engine: one task at a time, uncut, at a rate that software of communication
/// lowers (one SM for each channel of NCCL).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "modules/tasks/compute_unit.h"
#include "modules/tasks/paced_work.h"

namespace tributary {

/// Tasks of a stream begin in their order. Of the next tasks of its streams the engine takes the one that has been ready
/// longest, of several the first listed. What is left of a task is counted in ps x 80, so that changes of the rate are
/// exact.
class ComputeStreams final : public ComputeUnit {
 public:
  ComputeStreams() = default;
  explicit ComputeStreams(Listener& listener) : listener_(&listener) {}
  void set_listener(Listener& listener) override { listener_ = &listener; }

  void load(const TaskProgram& program) override;
  void ready(std::uint32_t task, Tick now) override { since_[task] = now; }
  /// One multiprocessor at least is left.
  void set_taken(unsigned multiprocessors, Tick now) override;
  Tick next() const override { return running_ ? work_.end() : never; }
  void run(Tick now) override;

  std::vector<std::string> waiting() const override;
  void reset() override;
  void describe(ProbeDirectory& directory, const std::string& prefix) override;

 private:
  struct Stream {
    std::uint32_t number = 0;
    std::vector<std::uint32_t> tasks;
    std::size_t first = 0;  // that has not begun

    bool empty() const { return first == tasks.size(); }
    std::uint32_t front() const { return tasks[first]; }
  };
  void begin_next(Tick now);

  Listener* listener_ = nullptr;
  const TaskProgram* program_ = nullptr;
  std::vector<Stream> streams_;
  std::vector<Tick> since_;  // by task: ready since then
  std::optional<std::uint32_t> running_;
  PacedWork work_;
  unsigned rate_ = all_multiprocessors;
  SignalProbe task_, busy_, shown_rate_;
};

}  // namespace tributary
