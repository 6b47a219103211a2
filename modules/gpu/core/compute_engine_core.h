#pragma once
/// ComputeEngineCore: engine that executes the compute tasks of a GPU's program.

#include <string>
#include <vector>

#include "modules/gpu/core/engine_seat.h"
#include "modules/tasks/compute_streams.h"

namespace tributary {

/// ComputeStreams defines its rules. It sends nothing, so the GPU runs ahead to its horizon while it computes.
class ComputeEngineCore final : public GpuEngine, private ComputeStreams::Listener {
 public:
  explicit ComputeEngineCore(EngineSeat seat) : seat_(seat), streams_(static_cast<ComputeStreams::Listener&>(*this)) {}

  EngineScope scope() const override { return {0, 0, 0, 0, EngineScope::bit_of(DeviceTask::Kind::compute)}; }
  bool load(const GpuProgram& program) override {
    program.tasks ? streams_.load(*program.tasks) : streams_.reset();
    return false;
  }
  void task_ready(std::uint32_t task, Tick now) override {
    streams_.ready(task, now);
    seat_.call(EngineTimer::before_issue, now);
  }
  void operations_take(unsigned multiprocessors, Tick now) override {
    streams_.set_taken(multiprocessors, now);
    seat_.call(EngineTimer::before_issue, now);
  }
  void run(Tick now, EngineTimer) override {
    streams_.run(now);
    seat_.call(EngineTimer::before_issue, streams_.next());
  }
  void packet(Packet* packet, Arrival, Tick) override { packet->release(); }
  std::vector<std::string> waiting() const override {
    std::vector<std::string> lines = streams_.waiting();
    for (std::string& line : lines) line = "compute: " + line;
    return lines;
  }
  void reset() override { streams_.reset(); }
  void describe(ProbeDirectory& directory, const std::string& name) override { streams_.describe(directory, name + "."); }

 private:
  void compute_begun(std::uint32_t task, Tick now) override { seat_.task_begun(task, now); }
  void compute_ended(std::uint32_t task, Tick now) override { seat_.task_ended(task, now); }

  EngineSeat seat_;
  ComputeStreams streams_;
};

}  // namespace tributary
