#pragma once
/// StreamGpuCore: the timing and rules of a GPU with copy engines (Wang et al., MLSys 2020, 4).

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "modules/stream_gpu/core/port_hub.h"
#include "modules/stream_gpu/stream_gpu_params.h"
#include "modules/streams/core/kernel_unit.h"
#include "modules/streams/core/program_part.h"
#include "modules/streams/core/semaphore_table.h"
#include "modules/streams/core/stream_processor.h"
#include "modules/timing/completion_listener.h"

namespace tributary {

/// The core handles its parts instant by instant: first the ends, then the begins, then the choice of bursts for free links.
/// A packet takes effect `streams.acquire` after its header flit, or at its tail if that is later: its data are in memory
/// and its credits return. If the rate of the memory is limited, a packet then requests it, and takes effect when its data
/// are written; a semaphore takes effect after the data that arrived before it.
class StreamGpuCore : private StreamListener {
 public:
  struct Config {
    std::uint16_t gpu = 0;   ///< number of the GPU, by which other GPUs address it
    StreamGpuParams params;  ///< without automatic values
    std::vector<CopyRoute> routes = {};
    bool with_data = true;
    std::optional<Tick> delay = {};  ///< delay of the effect of packets: at most `streams.acquire`, which is the default

    Tick seen_after() const { return delay.value_or(params.streams.acquire.value); }
  };
  StreamGpuCore(const Config& config, const std::vector<StreamTransmitter*>& transmitters, LinkOutput& wires,
                PacketPool& pool, PayloadViews& views, EngineArray& engines, CompletionListener& listener);

  PortHub& hub() { return hub_; }
  SemaphoreTable& semaphores() { return semaphores_; }
  KernelUnit& kernels() { return kernels_; }
  GpuMemory& memory() { return memory_; }
  MemoryRate& memory_rate() { return rate_; }
  StreamProcessor& streams() { return streams_; }
  const Config& config() const { return config_; }
  /// Call it during construction. The part must outlive the core's last event.
  void add_part(ProgramPart& part) { parts_.push_back(&part); }

  /// `size`: bytes of the memory; 0 in runs without data. Throws std::invalid_argument.
  void post(StreamProgram program, Tick t0, std::uint64_t size);

  void accept(unsigned port, Packet* packet, Tick head, Tick tail);
  void credit(unsigned port, Tick first, const LinkCredit* credits, unsigned count) {
    hub_.credit(port, first, credits, count);
  }
  Tick safe_horizon(Tick now, Tick packets, const Tick* credits);
  /// Handles all events up to `horizon`, and returns the time of the next event.
  Tick run_until(Tick horizon);
  Tick sent_until() const { return hub_.sent_until(); }
  Tick next() const;

  std::vector<std::string> waiting() const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& name);

  PacketProbe delivered;  ///< a packet takes effect
  SignalProbe remaining;  ///< commands of the program that have not ended

 private:
  static constexpr unsigned start_slot = PortHub::max_ports;  // slot of arrivals_ for the start of a program
  static constexpr unsigned write_slot = start_slot + 1;      // slot for the first of writes_
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
  void write(unsigned port, Incoming incoming);
  void end_writes(Tick now);
  void check_done(Tick now);

  Config config_;
  CompletionListener& listener_;
  MemoryRate rate_;
  GpuMemory memory_;
  PortHub hub_;
  SemaphoreTable semaphores_;
  StreamProcessor streams_;
  KernelUnit kernels_;  // calls streams_ when a kernel ends
  std::vector<ProgramPart*> parts_;
  std::vector<RingQueue<Incoming>> incoming_;  // by port
  struct Write {
    unsigned port;
    Incoming incoming;
  };
  RingQueue<Write> writes_;  // packets that wait for the memory, in the order of its service
  EventSlots<6> arrivals_;   // by port
  StreamProgram program_;
  bool active_ = false;
  Tick t0_ = 0, handled_ = 0;
};

}  // namespace tributary
