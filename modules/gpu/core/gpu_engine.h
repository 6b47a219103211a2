#pragma once
/// GpuEngine: what stands round the hub of a GPU: DMA engine, command executor, home accumulator, and what a user plugs in
/// beside them, for instance a copy engine.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/gpu/core/gpu_program.h"
#include "modules/protocol/nvlink.h"

namespace tributary {

/// Where a packet that reaches an engine comes from.
enum class Arrival : std::uint8_t {
  link,    ///< over a link; its last flit is in
  local,   ///< made at this GPU; its data are not in memory yet
  memory,  ///< made at this GPU, and its data lie in memory
};

/// Place of an engine's own event among all that happen at one instant: arrivals, `before_issue`, the next packet that is
/// paced, room on links, `after_issue`.
enum class EngineTimer : std::uint8_t { before_issue, after_issue };

/// Packets that go to an engine: those to its own range of network addresses, whatever they are, and of all others those
/// with certain opcodes. Acks go to the engine whose program runs, and what it takes meanwhile instead of others.
struct EngineScope {
  std::uint32_t opcodes = 0;  ///< a bit for each: bit_of()
  std::uint64_t first_address = 0, address_bytes = 0;
  std::uint32_t program_opcodes = 0;  ///< as `opcodes`, while the engine runs a program
  std::uint32_t tasks = 0;            ///< kinds of tasks that it carries out, a bit for each

  static constexpr std::uint32_t bit_of(Opcode opcode) { return 1u << static_cast<unsigned>(opcode); }
  static constexpr std::uint32_t bit_of(DeviceTask::Kind kind) { return 1u << static_cast<unsigned>(kind); }
  bool owns(std::uint64_t address) const { return address - first_address < address_bytes; }
};

/// Pure rules; all times are exact, in picoseconds. The hub calls; what the engine wants of the hub it asks its EngineSeat.
/// Calls come in order of time, and never before an event that is still to come could change them.
class GpuEngine {
 public:
  virtual ~GpuEngine() = default;

  /// Asked once, when the engine takes its seat.
  virtual EngineScope scope() const = 0;
  /// A program has been posted; blocks of it may arrive from now on. Returns whether this engine runs it.
  virtual bool load(const GpuProgram&) { return false; }
  /// t0 of its program.
  virtual void start(Tick) {}
  /// A time has come that it has named (EngineSeat::call).
  virtual void run(Tick now, EngineTimer timer) = 0;
  /// It may send a packet now, having said so (EngineSeat::offer). Returns whether it has.
  virtual bool issue(Tick) { return false; }
  /// A packet for it, whose reference comes with it.
  virtual void packet(Packet* packet, Arrival from, Tick now) = 0;

  // ---- programs with tasks
  /// A task of a kind of its own has all that it waits for (EngineSeat::task_begun, task_ended follow).
  virtual void task_ready(std::uint32_t, Tick) {}
  /// To the engine that runs the program: it begins this operation (EngineSeat::operation_issued, operation_over follow).
  virtual void begin_operation(std::uint32_t, Tick) {}
  /// To the engine of operations: that one has issued all it has to send; what it writes here is visible at `when`.
  virtual void operation_issued(std::uint32_t, Tick) {}
  virtual void operation_over(std::uint32_t, Tick /*now*/, Tick /*when*/) {}
  /// To the engine of compute tasks: operations take so many of all_multiprocessors from now on.
  virtual void operations_take(unsigned, Tick) {}

  /// One line for each thing that it waits for; empty when it is quiescent.
  virtual std::vector<std::string> waiting() const = 0;
  virtual void reset() = 0;
  /// Other random numbers from now on.
  virtual void reseed(std::uint64_t) {}
  /// `name`: its hierarchical name; that of the GPU, a dot, and its own.
  virtual void describe(ProbeDirectory& directory, const std::string& name) = 0;
  /// Adds what it has counted since the last reset.
  virtual void count(std::map<std::string, double>&) const {}
};

}  // namespace tributary
