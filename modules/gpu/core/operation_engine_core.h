#pragma once
/// OperationEngineCore: engine that begins the operations of a GPU's communication queues.

#include <algorithm>
#include <string>
#include <vector>

#include "modules/gpu/core/engine_seat.h"
#include "modules/tasks/operation_queues.h"

namespace tributary {

/// OperationQueues defines its rules. The engine of the program executes the operations.
class OperationEngineCore final : public GpuEngine, private OperationQueues::Listener {
 public:
  explicit OperationEngineCore(EngineSeat seat) : seat_(seat), streams_(static_cast<OperationQueues::Listener&>(*this)) {}

  EngineScope scope() const override {
    return {0, 0, 0, 0, EngineScope::bit_of(DeviceTask::Kind::operation) | EngineScope::bit_of(DeviceTask::Kind::mark)};
  }
  bool load(const GpuProgram& program) override {
    reset();
    if (program.tasks) streams_.load(*program.tasks);
    return false;
  }
  void task_ready(std::uint32_t task, Tick now) override {
    streams_.ready(task, now);
    seat_.call(EngineTimer::before_issue, now);
  }
  void operation_issued(std::uint32_t operation, Tick now) override {
    streams_.issued(operation, now);
    seat_.call(EngineTimer::before_issue, now);
  }
  void operation_over(std::uint32_t operation, Tick now, Tick when) override {
    streams_.over(operation, when);
    seat_.call(EngineTimer::before_issue, when == now ? now : std::min(when, streams_.next()));
  }
  void run(Tick now, EngineTimer) override {
    streams_.run(now);
    seat_.call(EngineTimer::before_issue, streams_.next());
  }
  void packet(Packet* packet, Arrival, Tick) override { packet->release(); }
  std::vector<std::string> waiting() const override {
    std::vector<std::string> lines = streams_.waiting();
    for (std::string& line : lines) line = "operations: " + line;
    return lines;
  }
  void reset() override {
    streams_.reset();
    taken_ = 0;
  }
  void describe(ProbeDirectory& directory, const std::string& name) override { streams_.describe(directory, name + "."); }

 private:
  void operation_begun(std::uint32_t task, Tick now) override {
    seat_.task_begun(task, now);
    if (seat_.task(task).multiprocessors != 0) seat_.operations_take(taken_ += seat_.task(task).multiprocessors, now);
  }
  void operation_launched(std::uint32_t task, Tick now) override {
    // An operation that runs alone has the same memory latencies whatever ran before it.
    if (streams_.in_flight() == 1) seat_.memory_of_one_operation();
    seat_.begin_operation(seat_.task(task).operation, now);
  }
  void operation_ended(std::uint32_t task, Tick now) override {
    const DeviceTask& t = seat_.task(task);
    if (t.kind == DeviceTask::Kind::operation && t.multiprocessors != 0)
      seat_.operations_take(taken_ -= t.multiprocessors, now);
    seat_.task_ended(task, now);
  }

  EngineSeat seat_;
  OperationQueues streams_;
  unsigned taken_ = 0;  // multiprocessors in use
};

}  // namespace tributary
