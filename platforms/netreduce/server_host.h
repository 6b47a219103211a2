#pragma once
/// ServerHost: the engine of a parameter server: a host that adds what workers send, and sends them the sums.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "modules/base/element.h"
#include "modules/base/host/ring_queue.h"
#include "modules/timing/completion_listener.h"
#include "modules/ethernet/host_engine_module.h"
#include "platforms/netreduce/host_params.h"

namespace tributary {

/// What a server does for one collective. Slice i of worker w comes into buffer (w, i mod `buffers`); a worker sends slice i
/// when all workers have got slice i - buffers.
struct ServerPlan {
  struct Worker {
    unsigned pair = 0;       ///< queue pair to it
    std::uint64_t base = 0;  ///< where its memory begins in its host
  };
  struct Slice {
    std::uint64_t address = 0;  ///< in the memory of each worker
    std::uint32_t bytes = 0;
    std::uint16_t command = 0;  ///< of each worker, which waits for the sum
  };
  std::vector<Worker> workers;  ///< by rank
  std::vector<Slice> slices;
  unsigned buffers = 4;
  std::uint64_t buffer_bytes = 0;
  ElementType type = ElementType::f32;
  ReduceOp op = ReduceOp::sum;

  std::uint64_t buffer(std::size_t worker, std::size_t slice) const {
    return (worker * buffers + slice % buffers) * buffer_bytes;
  }
  std::uint64_t memory_bytes() const { return workers.size() * buffers * buffer_bytes; }
};

/// The first operand of a slice becomes its sum, the others are added to it in the order in which they come, one after
/// another, each in the time that the host's processor takes to read it. A sum goes to all workers, in order of rank.
class ServerHostCore : public HostEngine {
 public:
  ServerHostCore(const HostParams& params, Verbs& nic) : rate_(params.reduction_rate), nic_(nic) {}

  /// Data are added there; null: time alone.
  void set_memory(std::byte* memory) { memory_ = memory; }
  void post(ServerPlan plan);
  /// Called with the exact time, ahead of the kernel's.
  void on_failure(std::function<void(Tick, const std::string&)> failed) { failed_ = std::move(failed); }

  void completed(unsigned queue_pair, std::uint64_t id, Tick when) override;
  void arrived(unsigned queue_pair, std::uint32_t immediate, Tick when) override;
  void failed(unsigned queue_pair, Tick when, const std::string& why) override;
  Tick run_until(Tick horizon) override;
  Tick next() const override { return events_.empty() ? never : events_.front().when; }
  /// `slice 3: 2 of 4 operands, missing ranks 1 3`.
  std::vector<std::string> waiting() const override;
  void reset() override;
  void describe(ProbeDirectory& directory, const std::string& prefix) override;

 private:
  struct Sum {
    std::vector<bool> has;  // by worker
    std::size_t first = 0, count = 0;
    std::size_t answered = 0;  // workers that have acknowledged the sum
  };
  struct Event {
    Tick when;  // its last operand is added
    std::uint32_t slice;
  };
  void add(std::uint32_t slice, std::size_t worker, Tick now);
  void send(std::uint32_t slice, Tick now);

  Bandwidth rate_;
  Verbs& nic_;
  std::byte* memory_ = nullptr;
  ServerPlan plan_;
  std::map<unsigned, std::size_t> workers_;  // by queue pair
  std::map<std::uint32_t, Sum> sums_;        // of slices that are under way
  RingQueue<Event> events_;                  // in order of time
  Tick idle_at_ = 0;
  SignalProbe operand_, whole_;
  std::function<void(Tick, const std::string&)> failed_;
};

/// Rules: ServerHostCore. Part of a host, which calls it for its events.
class ServerHost : public HostEngineModule {
 public:
  /// `endpoint`: of the host, as `listener` knows it.
  ServerHost(const sc_core::sc_module_name& name, const HostParams& params, unsigned endpoint, CompletionListener& listener);

  HostEngine& engine() override { return core_; }
  void set_memory(std::byte* memory) override { core_.set_memory(memory); }
  void post(ServerPlan plan) { core_.post(std::move(plan)); }

 private:
  ServerHostCore core_;
};

}  // namespace tributary
