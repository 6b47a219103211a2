#pragma once
/// HostGpu: what one GPU of a host does for one collective: commands, a ring of NetReduce, and commands again.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "modules/netreduce/core/flow_control_core.h"
#include "platforms/netreduce/command_host.h"

namespace tributary {

/// A way from a GPU to another one, as the programs of the first count them.
struct GpuConnection {
  static constexpr int by_nic = -1;
  int gpu = by_nic;        ///< of the same host
  unsigned pair = 0;       ///< queue pair of the NIC, or the same way as that GPU counts it
  std::uint64_t base = 0;  ///< where the memory of the other end begins in its host
  bool ring = false;       ///< carries messages of NetReduce
};

/// Queue pairs in them are numbers of connections; addresses are those of the GPU's own memory, or of the other end's.
struct HostGpuProgram {
  std::vector<GpuConnection> connections;
  HostCommands before;          ///< first
  std::vector<RingPlan> rings;  ///< when all of these have ended
  HostCommands after;           ///< when all results of the rings are there
};

/// Carries out a program, stage by stage. What it sends goes out by Ways; what comes in is told it by number of connection.
class HostGpu : private Verbs, private FlowControlListener {
 public:
  enum class Stage : std::uint8_t { before, rings, after, done };
  /// What a GPU sends: over the NIC, or to a GPU beside it.
  class Ways {
   public:
    virtual ~Ways() = default;
    virtual void send(unsigned gpu, const GpuConnection& way, Stage stage, const WriteRequest& request, Tick when) = 0;
    virtual unsigned outstanding(unsigned queue_pair) const = 0;
  };
  /// `mtu`: bytes of a packet's payload. `number`: of the GPU in its host.
  HostGpu(const HostParams& host, const HostFlowParams& flow, unsigned mtu, unsigned number, Ways& ways);
  HostGpu(const HostGpu&) = delete;
  HostGpu& operator=(const HostGpu&) = delete;

  void set_memory(std::byte* memory);
  void on_end(std::function<void(Tick)> done, std::function<void(Tick, const std::string&)> failed) {
    done_ = std::move(done), failed_ = std::move(failed);
  }
  void post(HostGpuProgram program, Tick t0);
  const HostGpuProgram& program() const { return program_; }

  /// What a connection over the NIC, or the GPU beside, has to say; of a chunk for a stage that has not begun, it is kept.
  void completed(unsigned connection, Stage stage, std::uint64_t id, Tick when);
  void arrived(unsigned connection, Stage stage, std::uint32_t immediate, Tick when);
  /// One of its connections over the NIC has given up.
  void failed(Tick when, const std::string& why) { failed_(when, why); }

  Tick run_until(Tick horizon);
  Tick next() const;
  std::vector<std::string> waiting() const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  struct Early {
    unsigned connection;
    std::uint32_t immediate;
  };
  // Verbs
  void post_write(unsigned connection, const WriteRequest& request, Tick when) override {
    ways_.send(number_, program_.connections.at(connection), stage_, request, when);
  }
  unsigned outstanding(unsigned connection) const override {
    return ways_.outstanding(program_.connections.at(connection).pair);
  }
  // FlowControlListener
  void flow_done(Tick when) override { begin(Stage::after, when); }
  void flow_failed(Tick when, const std::string& why) override { failed_(when, why); }

  void begin(Stage stage, Tick when);
  CommandHostCore& commands(Stage stage) { return stage == Stage::before ? before_ : after_; }

  unsigned number_;
  Ways& ways_;
  CommandHostCore before_, after_;
  FlowControlCore flow_;
  HostGpuProgram program_;
  Stage stage_ = Stage::done;
  std::vector<Early> early_;  // for the last stage
  std::function<void(Tick)> done_;
  std::function<void(Tick, const std::string&)> failed_;
};

}  // namespace tributary
