#pragma once
/// EngineTable: the engines of a GPU: selects the engine for a packet or a program, and holds the times at which engines
/// act.

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "modules/gpu/core/gpu_engine.h"

namespace tributary {

/// Seats are numbered in the order of their engines; at the same instant, the lower seat acts first.
class EngineTable {
 public:
  static constexpr unsigned max_engines = 16;

  EngineTable() {
    for (auto& due : due_) due.fill(never);
  }

  /// Returns a free seat. Throws std::length_error if there is none.
  unsigned add_seat() {
    if (entries_.size() == max_engines) throw std::length_error("a GPU has at most 16 engines");
    entries_.push_back({});
    return static_cast<unsigned>(entries_.size() - 1);
  }
  /// `name`: relative to the GPU.
  void attach(unsigned seat, GpuEngine& engine, const std::string& name);

  // programs
  /// Throws std::invalid_argument if no engine runs the program.
  void load(const GpuProgram& program);
  GpuEngine& runner() const { return *runner_; }

  // packets
  GpuEngine& of(unsigned seat) const { return *entries_[seat].engine; }
  /// Returns the engine for packets of that opcode, or null.
  GpuEngine* of(Opcode opcode) const { return by_opcode_[static_cast<std::size_t>(opcode)]; }

  // tasks
  /// Engine for tasks of that kind; a loaded program has one for each of its kinds.
  bool has(DeviceTask::Kind kind) const { return by_kind_[static_cast<std::size_t>(kind)] != nullptr; }
  GpuEngine& of(DeviceTask::Kind kind) const { return *by_kind_[static_cast<std::size_t>(kind)]; }

  /// Access to the NIC of the GPU, or null.
  NicAccess* nic() const { return nic_; }
  /// An engine uses that many multiprocessors from now on. Returns the sum over all engines.
  unsigned use_multiprocessors(unsigned seat, unsigned count) {
    multiprocessors_ += count - multiprocessors_of_[seat];
    multiprocessors_of_[seat] = count;
    return multiprocessors_;
  }

  // paced packets
  void offer(unsigned seat, bool ready) { offers_ = (offers_ & ~(1u << seat)) | std::uint32_t{ready} << seat; }
  std::uint32_t offers() const { return offers_; }

  // events
  /// Sets a timer; returns its earliest time over all engines.
  Tick call(unsigned seat, EngineTimer timer, Tick when) {
    due(timer)[seat] = when;
    return next(timer);
  }
  Tick due_at(unsigned seat, EngineTimer timer) const { return due_[static_cast<std::size_t>(timer)][seat]; }
  Tick next(EngineTimer timer) const {
    const auto& due = due_[static_cast<std::size_t>(timer)];
    return *std::min_element(due.begin(), due.begin() + static_cast<std::ptrdiff_t>(entries_.size()));
  }
  /// Runs the engines whose timer is due.
  void run(EngineTimer timer, Tick now);

  void add_waiting(std::vector<std::string>& lines) const;
  void reset();
  void reseed(std::uint64_t seed);
  void describe(ProbeDirectory& directory, const std::string& gpu);
  void count(std::map<std::string, double>& counters) const;

 private:
  struct Entry {
    GpuEngine* engine = nullptr;
    std::string name;
    EngineScope scope;
  };
  void take(std::uint32_t opcodes, GpuEngine& engine);
  void check_kinds(const TaskProgram& program) const;
  std::array<Tick, max_engines>& due(EngineTimer timer) { return due_[static_cast<std::size_t>(timer)]; }

  std::vector<Entry> entries_;
  std::array<GpuEngine*, 8> by_opcode_{};
  std::array<GpuEngine*, 4> by_kind_{};
  GpuEngine* runner_ = nullptr;
  NicAccess* nic_ = nullptr;
  std::uint32_t offers_ = 0;
  std::array<std::array<Tick, max_engines>, 2> due_;        // by timer, seat
  std::array<unsigned, max_engines> multiprocessors_of_{};  // in use, by seat
  unsigned multiprocessors_ = 0;
};

}  // namespace tributary
