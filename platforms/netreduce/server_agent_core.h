#pragma once
/// ServerAgentCore: a parameter server. It adds the slices that workers send, and sends the sums back to them.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/ethernet/core/host_agent.h"
#include "platforms/netreduce/host_params.h"
#include "platforms/netreduce/host_program.h"

namespace tributary {

/// The first operand of a slice becomes its sum. The others are added to it in order of arrival, one after another, each in
/// the time in which the host's processor reads it. A sum is sent to all workers, in order of rank.
class ServerAgentCore : public HostAgent {
 public:
  ServerAgentCore(const HostParams& params, Verbs& nic) : rate_(params.reduction_rate), nic_(nic) {}

  /// Sets the memory in which data are added; null: only time is simulated.
  void set_memory(std::byte* memory) { memory_ = memory; }
  void post(ServerPlan plan);
  /// `failed` is called with the exact time, ahead of the kernel's time.
  void on_failure(std::function<void(Tick, const std::string&)> failed) { failed_ = std::move(failed); }

  void completed(unsigned queue_pair, std::uint64_t id, Tick when) override;
  void arrived(unsigned queue_pair, std::uint32_t immediate, Tick when) override;
  void failed(unsigned queue_pair, Tick when, const std::string& why) override;
  Tick run_until(Tick horizon) override;
  Tick next() const override { return events_.empty() ? never : events_.front().when; }
  /// Returns lines such as `server: slice 3: 2 of 4 operands, missing ranks 1 3`.
  std::vector<std::string> waiting() const override;
  void reset() override;
  HostAdditions additions() const { return additions_; }
  void describe(ProbeDirectory& directory, const std::string& prefix) override;

 private:
  struct Sum {
    std::vector<bool> has;  // by worker: its operand has arrived
    std::size_t first = 0, count = 0;
    std::size_t answered = 0;  // workers that have acknowledged the sum
  };
  struct Event {
    Tick when;  // addition of the last operand ends
    std::uint32_t slice;
  };
  void add(std::uint32_t slice, std::size_t worker, Tick now);
  void send(std::uint32_t slice, Tick now);

  Bandwidth rate_;
  Verbs& nic_;
  std::byte* memory_ = nullptr;
  ServerPlan plan_;
  std::map<unsigned, std::size_t> workers_;  // by queue pair
  std::map<std::uint32_t, Sum> sums_;        // by slice in progress
  RingQueue<Event> events_;                  // in order of time
  Tick idle_at_ = 0;
  HostAdditions additions_;
  SignalProbe operand_, whole_;
  std::function<void(Tick, const std::string&)> failed_;
};

}  // namespace tributary
