#pragma once
/// EngineSeat: interface of a GPU's hub to one of its engines.

#include <string>

#include "modules/gpu/core/gpu_core.h"

namespace tributary {

/// A seat belongs to one hub, has one engine, and may be copied: an engine that wraps another passes on its own seat. Times
/// are not before `now`, the time of the call in which the engine uses the seat.
class EngineSeat {
 public:
  using Place = GpuCore::Place;

  EngineSeat(GpuCore& hub, unsigned seat) : hub_(&hub), seat_(seat) {}
  const GpuConfig& config() const { return hub_->config_; }

  // ---- time
  /// Schedules GpuEngine::run() at `when`, replacing that timer's previous time; `never` cancels it.
  void call(EngineTimer timer, Tick when) const { hub_->call(seat_, timer, when); }
  /// As call(), from outside, when the GPU may be inactive; `when` is at least Windows::ahead after kernel time.
  void call_from_host(EngineTimer timer, Tick when) const {
    call(timer, when);
    hub_->listener_.wake(when);
  }
  /// Declares if the engine has a packet to issue. GpuEngine::issue() follows, one packet per 144 B at the rate of all
  /// links. Lower seats have priority.
  void offer(bool ready, Tick now) const { hub_->offer(seat_, ready, now); }

  // ---- packets
  /// Number of links of the GPU.
  unsigned ports() const { return hub_->ports_.ports(); }
  Place place_of(std::uint64_t network_address) const { return {network_address, hub_->map_.locate(network_address)}; }
  PacketPool& pool() const { return hub_->pool_; }
  /// Creates a packet of the request VC from this GPU. `data`: it carries data, if the simulation does.
  Packet* make(Opcode opcode, Target target, const Place& place, unsigned bytes, bool data, Tick now) const {
    return hub_->make(opcode, target, place, bytes, data, now);
  }
  /// As make(), but always with data: content that the hardware itself reads.
  Packet* make_message(Opcode opcode, Target target, const Place& place, unsigned bytes, Tick now) const {
    return hub_->address(hub_->pool_.make(bytes, true), opcode, target, place, now);
  }
  /// Passes the packet to the link of its plane, which may send it from `ready` on. As in all actions, `never` is the time
  /// at which the reads before it are answered, and the packet keeps its place in the queue.
  void send(Packet* packet, Tick ready) const {
    if (__builtin_expect(ready == never, 0)) return hub_->send_when_read(packet);
    hub_->ports_.send(packet, ready);
  }
  /// Reads the data of the packet at `now`, and sends it when they are available.
  void send_read(Packet* packet, std::uint64_t local, unsigned bytes, Tick now) const {
    const Tick latency = hub_->memory_.read(local, packet->payload, bytes);
    if (__builtin_expect(latency == never, 0)) return hub_->read_deferred(), hub_->send_when_read(packet);
    hub_->ports_.send(packet, now + latency);
  }
  /// Returns true if the queue of that link has room for a paced packet. If not, nothing is issued until it has.
  bool pause_unless_room(unsigned port, Tick now) const { return hub_->pause_unless_room(port, now); }
  /// Returns true if the queue has room for a packet to an address of this engine's own range.
  bool room(unsigned port, Tick now) const {
    Tick next = never;
    return hub_->ports_.room(port, static_cast<int>(seat_), now, next);
  }
  /// Acknowledges a write, if writes are acknowledged.
  void acknowledge(const Packet& packet, Tick now) const { hub_->acknowledge(packet, now); }
  /// Writes a complete sum to all members of its region, this GPU included, at `ready`.
  void multicast_result(Packet* packet, Tick ready, Tick now) const { hub_->multicast_result(packet, ready, now); }
  /// Delivers the packet to the engine of the program at `when`, without crossing a link.
  void loop_back(Packet* packet, Tick when, Arrival from) const {
    if (__builtin_expect(when == never, 0)) return hub_->loop_back_when_read(packet, from);
    hub_->loop_back(packet, when, from);
  }

  // ---- the network between servers
  /// Returns the access to the GPU's NIC; null: it has none.
  NicAccess* nic() const { return hub_->engines_.nic(); }

  // ---- memory
  MemoryAccess& memory() const { return hub_->memory_; }
  /// Returns the time until the data are available. The memory answers within the call.
  Tick read(std::uint64_t local, std::byte* data, unsigned bytes) const {
    return hub_->memory_.read_at_once(local, data, bytes);
  }
  /// Returns the time at which the data are available; `never`: the memory answers later, and an action with that time, or
  /// when_read(), must follow. The data themselves are those at `now`.
  Tick read_at(std::uint64_t local, std::byte* data, unsigned bytes, Tick now) const {
    return hub_->read_at(local, data, bytes, now);
  }
  /// Calls `action(when)` when the reads before it are answered; `when` is not before `known`. `packet` waits with it: it is
  /// released if the GPU is reset; null: none.
  void when_read(Tick known, Packet* packet, LateReads::Action action) const {
    hub_->late_reads_.when_read(known, packet, std::move(action));
  }
  /// Keeps a place in the queue for a packet, and sends it later.
  void hold(const Packet& packet) const { hub_->ports_.hold(packet); }
  void send_held(Packet* packet, Tick ready) const { hub_->send_held(packet, ready); }
  /// The two parts of multicast_result(), for a time that is not known in the first.
  void hold_result(Packet* packet, Tick now) const { hub_->hold_result(packet, now); }
  void multicast_held(Packet* packet, Tick ready) const { hub_->multicast_held(packet, ready); }
  void write(std::uint64_t local, const std::byte* data, unsigned bytes) const { hub_->memory_.write(local, data, bytes); }
  /// Counts bytes of operands, of the program's type, that the engine adds.
  void count_added(std::uint64_t bytes) const { hub_->work_.added_bytes += bytes; }
  /// Counts the accesses of a kernel, and the operands that it adds.
  void count_kernel(std::uint64_t read, std::uint64_t written, std::uint64_t added_elements) const {
    hub_->work_.kernel_read += read, hub_->work_.kernel_written += written, hub_->work_.added_elements += added_elements;
  }
  std::uint64_t local(std::uint64_t network_address) const { return hub_->memory_.local(network_address); }

  // ---- the program of this GPU
  const GpuProgram& program() const { return hub_->program_; }
  /// True from post() to the end of the program.
  bool active() const { return hub_->active_; }
  bool started() const { return hub_->started_; }
  /// Start time of the program.
  Tick start_time() const { return hub_->t0_; }
  /// Fire the probes: stage, from 1 (0: idle), and blocks of it that are missing.
  void show_stage(Tick now, std::uint64_t stage) const { hub_->stage_(now, stage); }
  void show_remaining(Tick now, std::uint64_t blocks) const { hub_->remaining_(now, blocks); }
  /// Ends the program: all its writes here have been visible since `when`.
  void finish(Tick when) const { hub_->finish(when); }

  // ---- its tasks
  const DeviceTask& task(std::uint32_t number) const { return hub_->board_.task(number); }
  void task_begun(std::uint32_t number, Tick now) const { hub_->board_.begun(number, now); }
  /// Ends a task. Tasks that waited only for it become ready immediately (GpuEngine::task_ready); the program ends with its
  /// last task.
  void task_ended(std::uint32_t number, Tick now) const { hub_->task_ended(number, now); }
  /// Called by the engine of operations: the engine that runs the program begins an operation.
  void begin_operation(std::uint32_t operation, Tick now) const { hub_->engines_.runner().begin_operation(operation, now); }
  /// This engine uses that many multiprocessors from now on; compute tasks have the rest.
  void operations_take(unsigned multiprocessors, Tick now) const {
    const unsigned all = hub_->engines_.use_multiprocessors(seat_, multiprocessors);
    hub_->engines_.of(DeviceTask::Kind::compute).operations_take(all, now);
  }
  /// Restarts the memory's random latencies as at the begin of a program.
  void memory_of_one_operation() const { hub_->memory_.begin_operation(); }
  /// Called by the engine that runs the program: it has issued all packets of an operation.
  void operation_issued(std::uint32_t operation, Tick now) const {
    hub_->engines_.of(DeviceTask::Kind::operation).operation_issued(operation, now);
  }
  /// Ends an operation: all its writes here are visible at `when`.
  void operation_over(std::uint32_t operation, Tick now, Tick when) const {
    hub_->engines_.of(DeviceTask::Kind::operation).operation_over(operation, now, when);
  }
  void fail(Tick when, const std::string& error) const { hub_->fail(when, error); }

 private:
  GpuCore* hub_;
  unsigned seat_;
};

}  // namespace tributary
