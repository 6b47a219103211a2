#pragma once
/// GpuCore: an endpoint of the fabric, as arithmetic on integer picoseconds: links, DMA engine, command executor.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "modules/base/host/pooled_queue.h"
#include "modules/engine/core/event_slots.h"
#include "modules/gpu/core/address_translation.h"
#include "modules/gpu/core/background_traffic.h"
#include "modules/gpu/core/command_executor.h"
#include "modules/gpu/core/dma_engine.h"
#include "modules/gpu/core/home_accumulator.h"
#include "modules/gpu/core/operation.h"
#include "modules/gpu/core/stage_progress.h"
#include "modules/gpu/gpu_params.h"
#include "modules/link/core/nvlink_links.h"
#include "modules/protocol/address_map.h"
#include "modules/protocol/nvlink.h"

namespace tributary {

/// What the shell does for the core.
class GpuWires {
 public:
  virtual ~GpuWires() = default;
  /// Memory of this GPU; `data` may be null (timing only). A read returns its latency; a write is visible at once.
  virtual Tick read(std::uint64_t address, std::byte* data, unsigned bytes) = 0;
  virtual void write(std::uint64_t address, const std::byte* data, unsigned bytes) = 0;
  /// The operation is over here: everything it writes has been visible since `when`.
  virtual void operation_done(Tick when) = 0;
  virtual void operation_failed(Tick when, const std::string& error) = 0;
};

/// Timing: a packet takes effect when its last flit is in; its buffer space goes back at that moment, so a GPU always sinks
/// both VCs. Requests are paced at the rate of all links together, one block per 144 B, and pause when `tx_queue` packets
/// wait for one link. Commands that only store have a pace of their own. A read answers after the memory's latency, and the
/// packet that carries it queues from then on. Protocol:
/// docs/systems/klenk.md#pull, #push, #wave-controller, #acknowledgements.
class GpuCore {
 public:
  struct Config {
    std::uint16_t gpu = 0;
    GpuParams params;
    std::uint32_t wave_counters = 16;
    std::uint64_t seed = 1;
    Bandwidth injection_rate;      ///< of all links together
    bool acks = true;              ///< writes are acknowledged
    bool merge_acks = false;       ///< those of its multicasts are merged in the switches
    bool wave_needs_acks = false;  ///< pull: a wave ends when its multicast writes are acknowledged too
    bool rank_order = false;       ///< operands are added in the order of ranks, wherever they are
    bool pull_requests = false;    ///< pull: separate DMA requests one after another, without the wave controller
    bool fence = false;            ///< software schedules: flags behind acks
    bool with_data = true;
    double background_load = 0;  ///< background traffic, as a share of `injection_rate`
    unsigned gpus = 1;           ///< of the platform: to which it goes
  };
  GpuCore(const Config& config, const AddressMap& map, PacketPool& pool, GpuWires& wires, LinkOutput& links,
          const std::vector<LinkTransmitter*>& transmitters);

  AddressTranslation& translation() { return translation_; }
  /// The request stands at the engine at `t0`. One operation at a time.
  Tick post(Operation operation, Tick t0);

  /// Background traffic, if there is any, begins at `t0` and ends before `when`. Both lie ahead of all that has run.
  Tick start_background(Tick t0);
  void stop_background(Tick when) { background_.stop(when); }
  const BackgroundTraffic::Counts& background_counts() const { return background_.counts(); }

  /// A packet arrives over the link of `port`; its reference comes with it.
  void accept(unsigned port, Packet* packet, Tick tail);
  /// The first of the credits of `port` is there at `first`.
  void credit(unsigned port, Tick first, const LinkCredit* credits, unsigned count);
  /// How far it can run at `now` when all packets are there that arrive up to `packets`, and all credits of a port that come
  /// before `credits[port]`.
  Tick plan(Tick now, Tick packets, const Tick* credits);
  Tick run_until(Tick horizon);
  /// All that it sends up to then has been sent.
  Tick sent_until() const { return links_.done(); }

  /// Accesses to this GPU's memory since the last reset: packets read and written, polls, partial sums.
  struct MemoryUse {
    std::uint64_t reads = 0, writes = 0;
  };
  const MemoryUse& memory_use() const { return memory_use_; }

  bool quiescent() const { return waiting().empty(); }
  std::vector<std::string> waiting() const;
  void reset();
  void reseed(std::uint64_t seed) { dma_.reseed(seed), background_.reseed(seed); }
  void describe(ProbeDirectory& directory, const std::string& name);

  /// Delivery of the last flit of a packet that carries data or a request (acks are not counted).
  PacketProbe delivered;
  /// The same of writes of background traffic, which `delivered` leaves out.
  PacketProbe background_delivered;
  /// Partial sums that came in, final blocks that this GPU has made of them (block number).
  SignalProbe partials, home_results;

 private:
  static constexpr unsigned max_ports = 12;
  // Slots of events; two kinds have one per port.
  enum Event : unsigned {
    start_event,
    receive_event,
    local_event = receive_event + max_ports,
    seen_event,
    issue_event,
    retry_event,
    link_event,
    background_event = link_event + max_ports,
    store_event,
    event_count
  };

  struct Incoming {
    Tick tail;
    Packet* packet;
  };
  struct Local {  // a final block of this GPU's own that becomes visible at `when`
    Tick when;
    Packet* packet;
    bool written;  // it lies in memory, and the core that waits for it sees it at `when`
  };
  struct Seen {
    Tick when;
    std::uint16_t slot;
  };

  struct Place {
    std::uint64_t address = 0;  // in the network
    FabricLocation where;
  };

  void handle(unsigned slot, Tick now);
  void start(Tick now);

  // receiving (gpu_receive.cpp)
  void receive(unsigned port, Tick now);
  void on_result(Packet* packet, Tick now);
  void on_write(Packet* packet, Tick now);
  void on_partial(Packet* packet, Tick now);
  void on_pull(Packet* packet, Tick now);
  void on_response(Packet* packet, Tick now);
  void on_ack(Packet* packet, Tick now);
  void acknowledge(const Packet& packet, Tick now);
  Packet* own_copy(Packet* packet);
  void on_background(Packet* packet, Tick now);
  void multicast_result(Packet* packet, Tick ready, Tick now);
  void visible_later(Packet* packet, Tick ready, bool written = false);
  void poll(Packet* packet, Tick now);
  void block_visible(unsigned s, std::uint64_t address, Tick when);
  void local_visible(Tick now);

  // requesting (gpu_request.cpp)
  Place place_of(std::uint64_t address) const { return {address, map_.locate(address)}; }
  Tick next_issue(Tick now) const;
  void arm_issue(Tick now);
  void issue(Tick now);
  bool issue_dma(Tick now);
  bool issue_command(Tick now);
  void issue_store(Tick now);
  bool full(unsigned port, bool background, Tick now, Tick& next);
  bool blocked(unsigned port, Tick now);
  void send_background(Tick now);
  void request_block(const DmaStage& stage, std::uint64_t block, const Place& place, Tick now);
  Tick execute_block(const GpuCommand& command, std::uint64_t block, const Place& place, Tick now);
  void send_flag(const GpuCommand& command, Tick now);
  Packet* make(Opcode opcode, Target target, const Place& place, unsigned bytes, bool data, Tick now);
  void send(Packet* packet, Tick ready);
  void begin_stage(Tick now);
  void end_stages(Tick now);
  void check_commands(Tick now);

  Tick read(std::uint64_t address, std::byte* data, unsigned bytes) {
    ++memory_use_.reads;
    return wires_.read(address, data, bytes);
  }
  void write(std::uint64_t address, const std::byte* data, unsigned bytes) {
    ++memory_use_.writes;
    wires_.write(address, data, bytes);
  }
  bool cores() const { return config_.params.initiator == Initiator::cores; }

  // links
  auto on_sent() {
    return [this](const LinkTransmitter::Sent& sent) {
      if (background_.enabled()) count_background(*sent.packet);
    };
  }
  [[gnu::cold]] void count_background(const Packet& sent);
  void arm_link(unsigned port, Tick sent);

  const DmaStage& stage() const { return operation_.stages[stage_]; }
  unsigned stage_of(std::uint64_t address) const;

  Config config_;
  const AddressMap& map_;
  PacketPool& pool_;
  GpuWires& wires_;
  OutgoingLinks links_;
  std::vector<PooledQueue<Incoming>> incoming_;
  RingQueue<Local> local_;
  RingQueue<Seen> seen_;
  EventSlots<5> events_;
  static_assert(event_count <= EventSlots<5>::count);

  AddressTranslation translation_;
  DmaEngine dma_;
  CommandExecutor executor_;
  HomeAccumulator home_;
  Serializer pace_, store_pace_;
  BackgroundTraffic background_;
  std::array<std::uint32_t, max_ports> background_queued_{};  // its writes, by link
  MemoryUse memory_use_;
  std::uint32_t blocked_links_ = 0;  // the generator waits for room in their queues

  Operation operation_;
  bool active_ = false, started_ = false;  // posted and not yet over; its t0 has come
  std::size_t stage_ = 0;
  std::vector<StageProgress> progress_;  // by stage
  std::vector<Packet*> own_operands_;    // pull: by block of the share, until its response comes
  SignalProbe stage_probe_, remaining_probe_;
};

}  // namespace tributary
