#pragma once
/// StreamGpuCore: a GPU with copy engines: what its streams do, what its links bring (Wang et al., MLSys 2020, 4).

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "modules/timing/completion_listener.h"
#include "modules/stream_gpu/core/port_hub.h"
#include "modules/stream_gpu/stream_gpu_params.h"
#include "modules/streams/core/kernel_unit.h"
#include "modules/streams/core/program_part.h"
#include "modules/streams/core/semaphore_table.h"
#include "modules/streams/core/stream_processor.h"

namespace tributary {

/// Handles its parts instant by instant: what ends, then what begins, then which burst each free link carries. A packet that
/// comes matters `streams.acquire` after its header flit: then its data lie in memory (its tail, if that comes later), and
/// its room goes back.
class StreamGpuCore : private StreamListener {
 public:
  struct Config {
    std::uint16_t gpu = 0;   ///< its number, as ways and programs of others name it
    StreamGpuParams params;  ///< no automatic values
    std::vector<CopyWay> ways = {};
    bool with_data = true;
    std::optional<Tick> delay = {};  ///< what comes is seen no sooner; at most, and without value, `streams.acquire`

    Tick seen_after() const { return delay.value_or(params.streams.acquire.value); }
  };
  StreamGpuCore(const Config& config, const std::vector<StreamTransmitter*>& transmitters, LinkOutput& wires, PacketPool& pool,
                PayloadViews& views, EngineArray& engines, CompletionListener& listener);

  PortHub& hub() { return hub_; }
  SemaphoreTable& semaphores() { return semaphores_; }
  KernelUnit& kernels() { return kernels_; }
  GpuMemory& memory() { return memory_; }
  StreamProcessor& streams() { return streams_; }
  const Config& config() const { return config_; }
  /// During construction; outlives the core's last event.
  void add_part(ProgramPart& part) { parts_.push_back(&part); }

  /// `size`: of the memory; 0 without data. Throws std::invalid_argument.
  void post(StreamProgram program, Tick t0, std::uint64_t size);

  void accept(unsigned port, Packet* packet, Tick head, Tick tail);
  void credit(unsigned port, Tick first, const LinkCredit* credits, unsigned count) {
    hub_.credit(port, first, credits, count);
  }
  Tick safe_horizon(Tick now, Tick packets, const Tick* credits);
  /// Handles all up to `horizon`; returns the time of the next event.
  Tick run_until(Tick horizon);
  Tick sent_until() const { return hub_.sent_until(); }
  Tick next() const;

  std::vector<std::string> waiting() const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& name);

  PacketProbe delivered;  ///< packet that matters from now on
  SignalProbe remaining;  ///< commands of the program that have not ended

 private:
  static constexpr unsigned start_slot = PortHub::max_ports;  // of arrivals_: a program begins
  struct Incoming {
    Tick when, tail;
    Packet* packet;
  };
  // StreamListener
  void command_ended(std::uint32_t left, Tick now) override { remaining(now, left); }

  void handle(Tick now);
  Tick next_end() const;
  void take_in(Tick now);
  void take_in(unsigned port, const Incoming& incoming);
  void check_done(Tick now);

  Config config_;
  CompletionListener& listener_;
  GpuMemory memory_;
  PortHub hub_;
  SemaphoreTable semaphores_;
  StreamProcessor streams_;
  KernelUnit kernels_;  // ends the commands of the streams
  std::vector<ProgramPart*> parts_;
  std::vector<RingQueue<Incoming>> incoming_;  // by port
  EventSlots<6> arrivals_;                     // by port
  StreamProgram program_;
  bool active_ = false;
  Tick t0_ = 0, handled_ = 0;
};

}  // namespace tributary
