#pragma once
/// OperationQueues: the communication queues of a device: decides when operations begin and marks end.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/tasks/task_program.h"

namespace tributary {

/// An operation begins when its dependencies on this device have ended and its predecessor in the queue has ended here or,
/// with TaskProgram::pipelined, has issued all its packets. After its launch time, its engine executes it. A mark ends a
/// fixed time after its dependencies.
class OperationQueues {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    /// The operation is at the head of its queue and begins.
    virtual void operation_begun(std::uint32_t task, Tick now) = 0;
    /// The launch time has passed; the engine may send.
    virtual void operation_launched(std::uint32_t task, Tick now) = 0;
    /// A task, either a mark or an operation, has ended.
    virtual void operation_ended(std::uint32_t task, Tick now) = 0;
  };
  explicit OperationQueues(Listener& listener) : listener_(listener) {}

  /// The program must stay valid until the next load() or reset().
  void load(const TaskProgram& program);
  /// These calls take effect in run() at the same instant.
  void ready(std::uint32_t task, Tick now);
  void issued(std::uint32_t operation, Tick now);
  /// `when`: time from which all data that it writes here are visible.
  void over(std::uint32_t operation, Tick when);
  Tick next() const { return due_.empty() ? never : due_.begin()->first; }
  void run(Tick now);

  /// Number of operations begun and not ended.
  unsigned in_flight() const { return in_flight_; }
  std::vector<std::string> waiting() const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  enum class What : std::uint8_t { launch, end };
  struct Due {
    What what;
    std::uint32_t task;
  };
  struct Queue {
    std::uint32_t number = 0;
    std::vector<std::uint32_t> tasks;
    std::size_t first = 0;  // index of the first task that has not begun
    bool busy = false;      // the predecessor blocks the queue
  };
  Queue& queue_of(std::uint32_t task) { return queues_[place_[task]]; }
  void handle(const Due& due, Tick now);
  bool begin_one(Tick now);

  Listener& listener_;
  const TaskProgram* program_ = nullptr;
  std::vector<Queue> queues_;
  std::vector<std::uint32_t> place_;    // by task: index of its queue
  std::vector<std::uint32_t> task_of_;  // by operation: its task
  std::vector<bool> ready_, passed_;    // by task; passed: no longer blocks its queue
  std::multimap<Tick, Due> due_;
  unsigned in_flight_ = 0;
  SignalProbe shown_in_flight_;
};

}  // namespace tributary
