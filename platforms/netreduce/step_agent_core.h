#pragma once
/// StepAgentCore: carries out a training step on a host: its compute tasks, and its operations one at a time, by RDMA or on
/// rings of NetReduce.

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "modules/netreduce/core/flow_control_core.h"
#include "modules/tasks/compute_queues.h"
#include "modules/tasks/step_engine.h"
#include "platforms/hosts/command_host_core.h"
#include "platforms/netreduce/host_params.h"
#include "platforms/netreduce/host_program.h"

namespace tributary {

/// StepEngine defines the order of tasks and operations, CommandHostCore and FlowControlCore how a host carries out an
/// operation. An operation ends when all its data are in memory. ACKs that arrive later count for the next operation of
/// their queue pair.
class StepAgentCore : public HostAgent, private StepListener, private FlowControlListener {
 public:
  struct Config {
    HostParams host;
    HostFlowParams flow;
    unsigned mtu = 1024;  ///< payload bytes of a packet
  };
  StepAgentCore(const Config& config, Verbs& nic);
  StepAgentCore(const StepAgentCore&) = delete;
  StepAgentCore& operator=(const StepAgentCore&) = delete;

  /// Sets the memory in which data are moved and added; null: only time is simulated.
  void set_memory(std::byte* memory);
  /// The first tasks begin at `t0`. Chunks that arrive earlier are noted.
  void post(HostStep step, Tick t0);
  /// Both are called with exact times, ahead of the kernel's time.
  void on_end(std::function<void(Tick)> done, std::function<void(Tick, const std::string&)> failed);

  void completed(unsigned queue_pair, std::uint64_t id, Tick when) override;
  void arrived(unsigned queue_pair, std::uint32_t immediate, Tick when) override;
  void failed(unsigned queue_pair, Tick when, const std::string& why) override;
  Tick run_until(Tick horizon) override;
  Tick next() const override;
  std::vector<std::string> waiting() const override;
  void reset() override;
  HostAdditions additions() const { return commands_.additions(); }
  void describe(ProbeDirectory& directory, const std::string& prefix) override;

 private:
  // StepListener
  void begin_operation(std::uint32_t operation, Tick now) override;
  void step_done(Tick now) override { done_(now); }
  // FlowControlListener
  void flow_done(Tick when) override { step_.over(when); }
  void flow_failed(Tick when, const std::string& why) override { failed_(when, why); }

  ComputeQueues compute_;
  StepEngine step_;
  CommandHostCore commands_;
  FlowControlCore flow_;
  std::vector<HostStep::Operation> operations_;
  std::set<unsigned> ring_pairs_;  // queue pairs of rings
  std::function<void(Tick)> done_;
  std::function<void(Tick, const std::string&)> failed_;
};

}  // namespace tributary
