#pragma once
/// GpuEngine: interface of an engine at the hub of a GPU: DMA engine, command executor, home accumulator, and plug-in
/// engines, for instance a copy engine.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/gpu/core/gpu_program.h"
#include "modules/gpu/core/nic_access.h"
#include "modules/protocol/nvlink.h"

namespace tributary {

/// Origin of a packet that reaches an engine.
enum class Arrival : std::uint8_t {
  link,    ///< a link; its last flit has arrived
  local,   ///< this GPU; its data are not in memory yet
  memory,  ///< this GPU; its data are in memory
};

/// Position of an engine's event among the events of one instant: arrivals, `before_issue`, the next paced packet, room on
/// links, `after_issue`.
enum class EngineTimer : std::uint8_t { before_issue, after_issue };

/// Packets for an engine: all packets to its own range of network addresses, and packets with certain opcodes to other
/// addresses. Acks go to the engine whose program runs, as do `program_opcodes` meanwhile.
struct EngineScope {
  std::uint32_t opcodes = 0;  ///< a bit per opcode: bit_of()
  std::uint64_t first_address = 0, address_bytes = 0;
  std::uint32_t program_opcodes = 0;  ///< as `opcodes`, while the engine runs a program
  std::uint32_t tasks = 0;            ///< kinds of tasks that it executes, a bit per kind

  static constexpr std::uint32_t bit_of(Opcode opcode) { return 1u << static_cast<unsigned>(opcode); }
  static constexpr std::uint32_t bit_of(DeviceTask::Kind kind) { return 1u << static_cast<unsigned>(kind); }
  bool owns(std::uint64_t address) const { return address - first_address < address_bytes; }
};

/// Engine rules without SystemC; all times are exact, in picoseconds. The hub calls the engine, which uses the hub through
/// its EngineSeat. Calls are in order of time, and only when no future event can change them.
class GpuEngine {
 public:
  virtual ~GpuEngine() = default;

  /// Called once, when the engine is attached.
  virtual EngineScope scope() const = 0;
  /// A program has been posted; blocks of it may arrive from now on. Returns true if this engine runs it.
  virtual bool load(const GpuProgram&) { return false; }
  /// The program starts (t0).
  virtual void start(Tick) {}
  /// A timer set by EngineSeat::call is due.
  virtual void run(Tick now, EngineTimer timer) = 0;
  /// Called after EngineSeat::offer(); may send one packet. Returns true if it has.
  virtual bool issue(Tick) { return false; }
  /// Accepts a packet and its reference.
  virtual void packet(Packet* packet, Arrival from, Tick now) = 0;

  /// Access to the NIC of the GPU, if this engine has it; else null.
  virtual NicAccess* nic() { return nullptr; }

  // ---- programs with tasks
  /// A task of this engine's kind is ready (EngineSeat::task_begun, task_ended follow).
  virtual void task_ready(std::uint32_t, Tick) {}
  /// Called on the engine that runs the program: begins this operation (EngineSeat::operation_issued, operation_over
  /// follow).
  virtual void begin_operation(std::uint32_t, Tick) {}
  /// Called on the engine of operations: an operation has issued all its packets; its writes here are visible at `when`.
  virtual void operation_issued(std::uint32_t, Tick) {}
  virtual void operation_over(std::uint32_t, Tick /*now*/, Tick /*when*/) {}
  /// Called on the engine of compute tasks: sets how many of all_multiprocessors are used by operations from now on.
  virtual void operations_take(unsigned, Tick) {}

  /// Returns a line for each pending item; empty if quiescent.
  virtual std::vector<std::string> waiting() const = 0;
  virtual void reset() = 0;
  /// Changes the random seed.
  virtual void reseed(std::uint64_t) {}
  /// `name`: hierarchical name: that of the GPU, a dot, and the engine's.
  virtual void describe(ProbeDirectory& directory, const std::string& name) = 0;
  /// Adds the engine's counters since the last reset.
  virtual void count(std::map<std::string, double>&) const {}
};

}  // namespace tributary
