#pragma once
/// GpuCore: the hub of a GPU, an endpoint of the fabric, as arithmetic on integer picoseconds: it connects links, memory
/// and engines.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/gpu/core/engine_table.h"
#include "modules/gpu/core/gpu_config.h"
#include "modules/gpu/core/gpu_ports.h"
#include "modules/gpu/core/late_reads.h"
#include "modules/gpu/core/memory_port.h"
#include "modules/protocol/address_map.h"
#include "modules/tasks/task_board.h"
#include "modules/timing/core/event_slots.h"

namespace tributary {

/// Timing: a packet takes effect, and its buffer space is returned, at the arrival of its last flit, so a GPU always drains
/// both VCs. Packets that engines offer are paced at the rate of all links together, one per 144 B, and pause while
/// `tx_queue` packets wait for one link. A read answers after the memory's latency, and the packet that carries the data is
/// queued from then on. A memory that answers later has events of its own, which come first at their instants.
/// The hub answers loads of other GPUs. Protocol: docs/systems/klenk.md#pull, #push, #wave-controller,
/// #acknowledgements.
class GpuCore {
 public:
  using Config = GpuConfig;
  /// A network address and its location in the fabric.
  struct Place {
    std::uint64_t address = 0;
    FabricLocation where;
  };

  GpuCore(const GpuConfig& config, const AddressMap& map, PacketPool& pool, GpuMemoryPort& memory, GpuListener& listener,
          LinkOutput& output, const std::vector<NvLinkTransmitter*>& transmitters);

  // ---- elaboration
  unsigned add_seat() { return engines_.add_seat(); }
  /// The engine must outlive the last event.
  void attach(unsigned seat, GpuEngine& engine, const std::string& name);

  // ---- its shell
  AddressTranslation& translation() { return memory_.translation(); }
  /// Posts a program, whose request reaches the engines at `t0`. One program at a time. Throws std::invalid_argument if no
  /// engine runs it.
  Tick post(GpuProgram program, Tick t0);
  /// Accepts a packet from the link of `port`, and its reference.
  void accept(unsigned port, Packet* packet, Tick tail) {
    if (ports_.accept(port, packet, tail)) events_.set(receive_event + port, tail);
  }
  /// Credits of `port` have arrived, the first of them at `first`.
  void credit(unsigned port, Tick first, const LinkCredit* credits, unsigned count) {
    resume_at(port, ports_.credit(port, first, credits, count));
  }
  /// Returns how far the core can run at `now`, if all packets that arrive up to `packets` are known, and all credits of a
  /// port that arrive before `credits[port]`.
  Tick safe_horizon(Tick now, Tick packets, const Tick* credits) { return ports_.safe_horizon(now, packets, credits); }
  Tick run_until(Tick horizon);
  /// Returns the time up to which all its packets have been sent.
  Tick sent_until() const { return ports_.done(); }

  using MemoryUse = MemoryAccess::Use;
  /// Accesses to this GPU's memory since the last reset.
  const MemoryUse& memory_use() const { return memory_.use(); }
  /// Adds the counters of this GPU and its engines since the last reset.
  void count(std::map<std::string, double>& counters) const;
  bool quiescent() const { return waiting().empty(); }
  std::vector<std::string> waiting() const;
  void reset();
  void reseed(std::uint64_t seed) { engines_.reseed(seed); }
  void describe(ProbeDirectory& directory, const std::string& name);

  /// Delivery of the last flit of a packet that carries data or a request (not of acks, nor of packets to an engine's own
  /// addresses).
  PacketProbe delivered;

 private:
  friend class EngineSeat;

  // Event slots; two kinds have one per port. With more than nine ports, a link slot serves two: paced packets then check
  // for room again, and pause again if there is none.
  static constexpr unsigned link_slots = GpuPorts::max_ports / 2;
  enum Event : unsigned {
    start_event,
    receive_event,
    local_event = receive_event + GpuPorts::max_ports,
    before_issue_event,
    issue_event,
    link_event,
    after_issue_event = link_event + link_slots,
    event_count
  };
  struct Work {                        // arithmetic of the engines since the last reset
    std::uint64_t added_bytes = 0;     // operands of the program's type
    std::uint64_t added_elements = 0;  // operands of kernels
    std::uint64_t kernel_read = 0, kernel_written = 0;
  };
  struct Local {  // a block of this GPU that reaches the engine of the program at `when`
    Tick when;
    Packet* packet;
    Arrival from;
  };

  void handle(unsigned slot, Tick now);
  void start_or_answer(Tick now);
  void start(Tick now);
  void receive(unsigned port, Tick now);
  void answer_load(Packet* packet, Tick now);
  void arrive_locally(Tick now);

  void issue(Tick now);
  bool issue_packet(Tick now);
  void arm_issue(Tick now) {
    if (engines_.offers() != 0) events_.advance(issue_event, std::max(now, pace_.free_at()));
  }
  // A packet sent at an instant competes with all packets pushed at that instant, so its room is free just after it.
  void resume_at(unsigned port, Tick sent) {
    if (sent != never) events_.advance(link_event + (port < link_slots ? port : port - link_slots), sent + 1);
  }
  static std::uint32_t ports_of(unsigned link_slot) { return ((1u << link_slots) + 1) << link_slot; }
  static unsigned slot_of(EngineTimer timer) {
    return timer == EngineTimer::before_issue ? before_issue_event : after_issue_event;
  }

  // For engines, see EngineSeat.
  void offer(unsigned seat, bool ready, Tick now) {
    engines_.offer(seat, ready);
    if (ready) events_.advance(issue_event, std::max(now, pace_.free_at()));
  }
  void call(unsigned seat, EngineTimer timer, Tick when) {
    if (engines_.due_at(seat, timer) != when) events_.set(slot_of(timer), engines_.call(seat, timer, when));
  }
  bool pause_unless_room(unsigned port, Tick now);
  Packet* make(Opcode opcode, Target target, const Place& place, unsigned bytes, bool data, Tick now) {
    return address(pool_.make(bytes, data && config_.with_data), opcode, target, place, now);
  }
  Packet* address(Packet* packet, Opcode opcode, Target target, const Place& place, Tick now);
  void acknowledge(const Packet& packet, Tick now);
  void multicast_result(Packet* packet, Tick ready, Tick now);
  void loop_back(Packet* packet, Tick when, Arrival from);
  // Reads that are answered later.
  [[gnu::noinline, gnu::cold]] Tick read_deferred();
  /// Reads, and returns the time of the data; `never`: an action must follow that waits for it.
  Tick read_at(std::uint64_t local, std::byte* data, unsigned bytes, Tick now) {
    const Tick latency = memory_.read(local, data, bytes);
    return __builtin_expect(latency == never, 0) ? read_deferred() : now + latency;
  }
  [[gnu::noinline, gnu::cold]] void send_when_read(Packet* packet);
  void send_held(Packet* packet, Tick ready);
  [[gnu::noinline, gnu::cold]] void loop_back_when_read(Packet* packet, Arrival from);
  void hold_result(Packet* packet, Tick now);
  void multicast_held(Packet* packet, Tick ready);
  [[gnu::noinline, gnu::cold]] void multicast_when_read(Packet* packet, Tick now);
  void make_result(Packet* packet, Tick now);
  void task_ready(std::uint32_t task, Tick now) { engines_.of(board_.task(task).kind).task_ready(task, now); }
  void task_ended(std::uint32_t task, Tick now);
  void finish(Tick when);
  void fail(Tick when, const std::string& error) { listener_.operation_failed(when, error); }

  GpuConfig config_;
  const AddressMap& map_;
  PacketPool& pool_;
  GpuListener& listener_;
  LateReads late_reads_;
  LateAnswers* answers_;  // null: the memory answers within the call
  MemoryAccess memory_;
  GpuPorts ports_;
  EngineTable engines_;
  EventSlots<5> events_;
  static_assert(event_count <= EventSlots<5>::count);
  RingQueue<Local> local_;
  Serializer pace_;
  GpuProgram program_;
  TaskBoard board_;
  SignalProbe stage_, remaining_;
  Work work_;
  Tick t0_ = 0;
  bool active_ = false, started_ = false;  // posted and not ended; t0 has passed
};

}  // namespace tributary
