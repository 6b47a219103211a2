#pragma once
/// HostGpu: one GPU of a host. For a collective it carries out commands, then rings of NetReduce, then commands again.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "modules/netreduce/core/flow_control_core.h"
#include "platforms/hosts/command_host_core.h"
#include "platforms/netreduce/host_params.h"
#include "platforms/netreduce/program_agent.h"

namespace tributary {

/// Queue pairs of the commands and rings are numbers of connections. Addresses are relative to the memory of the GPU, or of
/// the other end of the connection.
struct HostGpuProgram {
  std::vector<GpuConnection> connections;
  HostCommands before;
  std::vector<RingPlan> rings;  ///< begin when all of `before` has ended
  HostCommands after;           ///< begins when all results of the rings are in memory
};

/// Carries out a program stage by stage. It sends through a Transport, which reports arrivals and completions by number of
/// connection.
class HostGpu : private Verbs, private FlowControlListener {
 public:
  enum class Stage : std::uint8_t { before, rings, after, done };
  /// Carries the requests of a GPU to the NIC or to another GPU of the host.
  class Transport {
   public:
    virtual ~Transport() = default;
    /// `connection`: number in the program of `gpu`.
    virtual void send(unsigned gpu, unsigned connection, Stage stage, const WriteRequest& request, Tick when) = 0;
    virtual unsigned outstanding(unsigned queue_pair) const = 0;
  };
  /// `mtu`: payload bytes of a packet. `number`: of the GPU in its host.
  HostGpu(const HostParams& host, const HostFlowParams& flow, unsigned mtu, unsigned number, Transport& transport);
  HostGpu(const HostGpu&) = delete;
  HostGpu& operator=(const HostGpu&) = delete;

  void set_memory(std::byte* memory);
  void on_end(std::function<void(Tick)> done, std::function<void(Tick, const std::string&)> failed) {
    done_ = std::move(done), failed_ = std::move(failed);
  }
  void post(HostGpuProgram program, Tick t0);
  const HostGpuProgram& program() const { return program_; }

  /// Reports of a connection. The arrival of a chunk for a stage that has not begun is stored until that stage begins.
  void completed(unsigned connection, Stage stage, std::uint64_t id, Tick when);
  void arrived(unsigned connection, Stage stage, std::uint32_t immediate, Tick when);
  /// One of the GPU's connections over the NIC has given up.
  void failed(Tick when, const std::string& why) { failed_(when, why); }

  Tick run_until(Tick horizon);
  Tick next() const;
  std::vector<std::string> waiting() const;
  void reset();
  HostAdditions additions() const {
    HostAdditions all = before_.additions();
    return all += after_.additions();
  }
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  /// Arrival of a chunk whose stage has not begun.
  struct Early {
    unsigned connection;
    std::uint32_t immediate;
  };
  // Verbs
  void post_write(unsigned connection, const WriteRequest& request, Tick when) override {
    transport_.send(number_, connection, stage_, request, when);
  }
  unsigned outstanding(unsigned connection) const override {
    return transport_.outstanding(program_.connections.at(connection).pair);
  }
  // FlowControlListener
  void flow_done(Tick when) override { begin(Stage::after, when); }
  void flow_failed(Tick when, const std::string& why) override { failed_(when, why); }

  void begin(Stage stage, Tick when);
  CommandHostCore& commands(Stage stage) { return stage == Stage::before ? before_ : after_; }

  unsigned number_;
  Transport& transport_;
  CommandHostCore before_, after_;
  FlowControlCore flow_;
  HostGpuProgram program_;
  Stage stage_ = Stage::done;
  std::vector<Early> early_;  // for the last stage
  std::function<void(Tick)> done_;
  std::function<void(Tick, const std::string&)> failed_;
};

}  // namespace tributary
