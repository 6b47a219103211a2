#pragma once
/// ComputeEngineCore: engine that executes the compute tasks of a GPU's program.

#include <string>
#include <vector>

#include "modules/gpu/core/engine_seat.h"
#include "modules/tasks/compute_queues.h"

namespace tributary {

/// ComputeQueues defines its rules. It sends nothing, so the GPU runs ahead to its horizon while it computes.
class ComputeEngineCore final : public GpuEngine, private ComputeQueues::Listener {
 public:
  explicit ComputeEngineCore(EngineSeat seat) : seat_(seat), queues_(static_cast<ComputeQueues::Listener&>(*this)) {}

  EngineScope scope() const override { return {0, 0, 0, 0, EngineScope::bit_of(DeviceTask::Kind::compute)}; }
  bool load(const GpuProgram& program) override {
    program.tasks ? queues_.load(*program.tasks) : queues_.reset();
    return false;
  }
  void task_ready(std::uint32_t task, Tick now) override {
    queues_.ready(task, now);
    seat_.call(EngineTimer::before_issue, now);
  }
  void operations_take(unsigned multiprocessors, Tick now) override {
    queues_.set_taken(multiprocessors, now);
    seat_.call(EngineTimer::before_issue, now);
  }
  void run(Tick now, EngineTimer) override {
    queues_.run(now);
    seat_.call(EngineTimer::before_issue, queues_.next());
  }
  void packet(Packet* packet, Arrival, Tick) override { packet->release(); }
  std::vector<std::string> waiting() const override {
    std::vector<std::string> lines = queues_.waiting();
    for (std::string& line : lines) line = "compute: " + line;
    return lines;
  }
  void reset() override { queues_.reset(); }
  void describe(ProbeDirectory& directory, const std::string& name) override { queues_.describe(directory, name + "."); }

 private:
  void compute_begun(std::uint32_t task, Tick now) override { seat_.task_begun(task, now); }
  void compute_ended(std::uint32_t task, Tick now) override { seat_.task_ended(task, now); }

  EngineSeat seat_;
  ComputeQueues queues_;
};

}  // namespace tributary
