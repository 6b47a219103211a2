#pragma once
/// EngineSeat: what the hub of a GPU does for one of its engines.

#include <string>

#include "modules/gpu/core/gpu_core.h"

namespace tributary {

/// A seat lies at one hub, has one engine, and may be copied: an engine that wraps another gives it its own. Times lie at
/// `now` or later, where `now` is that of the call in which the engine asks.
class EngineSeat {
 public:
  using Place = GpuCore::Place;

  EngineSeat(GpuCore& hub, unsigned seat) : hub_(&hub), seat_(seat) {}
  const GpuConfig& config() const { return hub_->config_; }

  // ---- time
  /// GpuEngine::run() at `when`, instead of what that timer was set to; `never`: not any more.
  void call(EngineTimer timer, Tick when) const { hub_->call(seat_, timer, when); }
  /// The same from outside, when the GPU may sleep; `when` lies at least Windows::ahead after the kernel's time.
  void call_from_host(EngineTimer timer, Tick when) const {
    call(timer, when);
    hub_->listener_.wake(when);
  }
  /// Whether it has a packet to issue: GpuEngine::issue() follows, one packet in 144 B of the rate of all links. Seats take
  /// precedence in their order.
  void offer(bool ready, Tick now) const { hub_->offer(seat_, ready, now); }

  // ---- packets
  /// Links of the GPU.
  unsigned ports() const { return hub_->ports_.ports(); }
  Place place_of(std::uint64_t network_address) const { return {network_address, hub_->map_.locate(network_address)}; }
  PacketPool& pool() const { return hub_->pool_; }
  /// A packet of the request VC from this GPU; `data`: it carries some, if the simulation does.
  Packet* make(Opcode opcode, Target target, const Place& place, unsigned bytes, bool data, Tick now) const {
    return hub_->make(opcode, target, place, bytes, data, now);
  }
  /// The same, and the simulation carries its data always: what the hardware itself reads.
  Packet* make_message(Opcode opcode, Target target, const Place& place, unsigned bytes, Tick now) const {
    return hub_->address(hub_->pool_.make(bytes, true), opcode, target, place, now);
  }
  /// Hands the packet over to the link of its plane, which may carry it from `ready` on.
  void send(Packet* packet, Tick ready) const { hub_->ports_.send(packet, ready); }
  /// Whether what is paced finds room in the queue of that link. If not, nothing is issued until there is.
  bool pause_unless_room(unsigned port, Tick now) const { return hub_->pause_unless_room(port, now); }
  /// Whether a packet to an address of its own finds room there.
  bool room(unsigned port, Tick now) const {
    Tick next = never;
    return hub_->ports_.room(port, static_cast<int>(seat_), now, next);
  }
  /// Answers a write, if writes are acknowledged.
  void acknowledge(const Packet& packet, Tick now) const { hub_->acknowledge(packet, now); }
  /// Writes a complete sum to all members of its region, this GPU included, when it is ready.
  void multicast_result(Packet* packet, Tick ready, Tick now) const { hub_->multicast_result(packet, ready, now); }
  /// The packet reaches the engine of the program at `when`, without crossing a link.
  void loop_back(Packet* packet, Tick when, Arrival from) const { hub_->loop_back(packet, when, from); }

  // ---- memory
  MemoryAccess& memory() const { return hub_->memory_; }
  Tick read(std::uint64_t local, std::byte* data, unsigned bytes) const { return hub_->memory_.read(local, data, bytes); }
  void write(std::uint64_t local, const std::byte* data, unsigned bytes) const { hub_->memory_.write(local, data, bytes); }
  std::uint64_t local(std::uint64_t network_address) const { return hub_->memory_.local(network_address); }

  // ---- the program of this GPU
  const GpuProgram& program() const { return hub_->program_; }
  /// Posted, and not over.
  bool active() const { return hub_->active_; }
  bool started() const { return hub_->started_; }
  /// When it starts, or has started.
  Tick start_time() const { return hub_->t0_; }
  /// For its probes: the stage, from 1 (0: idle), and the blocks of it that are missing.
  void show_stage(Tick now, std::uint64_t stage) const { hub_->stage_(now, stage); }
  void show_remaining(Tick now, std::uint64_t blocks) const { hub_->remaining_(now, blocks); }
  /// All that it writes here has been visible since `when`.
  void finish(Tick when) const { hub_->finish(when); }

  // ---- its tasks
  const DeviceTask& task(std::uint32_t number) const { return hub_->board_.task(number); }
  void task_begun(std::uint32_t number, Tick now) const { hub_->board_.begun(number, now); }
  /// What waited for it alone is ready at once (GpuEngine::task_ready); the program is over with its last task.
  void task_ended(std::uint32_t number, Tick now) const { hub_->task_ended(number, now); }
  /// Of the engine of operations: the engine that runs the program begins one.
  void begin_operation(std::uint32_t operation, Tick now) const { hub_->engines_.runner().begin_operation(operation, now); }
  void operations_take(unsigned multiprocessors, Tick now) const {
    hub_->engines_.of(DeviceTask::Kind::compute).operations_take(multiprocessors, now);
  }
  /// Random latencies of the memory are those of a program's begin again.
  void memory_of_one_operation() const { hub_->memory_.begin_operation(); }
  /// Of the engine that runs the program: it has issued all that an operation sends.
  void operation_issued(std::uint32_t operation, Tick now) const {
    hub_->engines_.of(DeviceTask::Kind::operation).operation_issued(operation, now);
  }
  /// All that an operation writes here is visible at `when`.
  void operation_over(std::uint32_t operation, Tick now, Tick when) const {
    hub_->engines_.of(DeviceTask::Kind::operation).operation_over(operation, now, when);
  }
  void fail(Tick when, const std::string& error) const { hub_->fail(when, error); }

 private:
  GpuCore* hub_;
  unsigned seat_;
};

}  // namespace tributary
