#pragma once
/// CommandScheduler: order of execution of a software schedule (send, receive, reduce, copy with dependencies) inside a
/// GPU.

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/base/probe.h"
#include "modules/gpu/core/gpu_program.h"

namespace tributary {

/// Commands that send by NVLink are paced by the links (wire); commands that only store, by the memory, in parallel (local).
/// Those that send by the NIC only store here.
enum class CommandLane : std::uint8_t { wire, local };

/// A command may issue its blocks when its predecessors have issued theirs and its mailbox slot is full and seen. Ready
/// commands of a lane issue one after another, in the order in which they became ready. A slot is full when all blocks of
/// the step have arrived (`counted`), or when the flag has arrived that its sender writes after all acks (`fence`); the
/// poll that sees it is one memory read (docs/systems/klenk.md#ring). A message that leaves by the NIC is handed over as a
/// whole, when all of its blocks are stored; one that comes in by the NIC fills its slot at once.
class CommandScheduler {
 public:
  /// A message for the NIC, whose data are in memory at `ready`.
  struct Message {
    std::uint32_t command;
    Tick ready;
  };

  /// Loads a schedule. Its mailbox accepts blocks immediately, as other GPUs may send before this one starts. `fence`: a
  /// flag marks a full slot. `operations`: groups of commands that begin separately; empty: all commands are one operation.
  void load(const std::vector<GpuCommand>& commands, bool fence, const std::vector<GpuOperation>& operations = {});
  void start(Tick now) { begin(0, now); }
  void begin(std::uint32_t operation, Tick now);

  bool ready(CommandLane lane) const { return !at(lane).ready.empty(); }
  const GpuCommand& current(CommandLane lane) const { return commands_[at(lane).ready.front()]; }
  /// Returns the block that the current command issues next.
  std::uint64_t next_block(CommandLane lane) const { return current(lane).first_block + at(lane).next; }
  /// Records that this block has been issued; the data that it writes or sends are visible here at `visible`.
  void issued(CommandLane lane, Tick now, Tick visible);

  /// Record a block (or the flag) of a slot. Return true if the slot is full: seen() follows after a memory read.
  bool block_arrived(std::uint16_t slot);
  bool flag_arrived(std::uint16_t slot);
  void seen(std::uint16_t slot, Tick now);
  /// Records a message of the NIC, which fills the slot.
  void message_arrived(std::uint16_t slot);
  bool has_messages() const { return !messages_.empty(); }
  /// Returns the messages that the NIC may send, each once.
  std::vector<Message> take_messages() { return std::exchange(messages_, {}); }
  /// A message has been handed to the NIC; if it is to be acknowledged, it has been.
  void message_sent(std::uint32_t command, Tick now) { finish(command, now); }
  const GpuCommand& command(std::uint32_t number) const { return commands_.at(number); }

  /// Records the ack of a write to that slot of a peer. Returns the command whose flag is due, or nullptr.
  const GpuCommand* acknowledged(std::uint16_t gpu, std::uint16_t slot);

  bool active() const { return !commands_.empty(); }
  bool finished() const { return done_ == commands_.size(); }
  Tick visible_at(std::uint32_t operation = 0) const { return operations_[operation].visible; }
  /// Data of the operation are visible at `when`, which was not known when their block was issued.
  void visible_from(std::uint32_t operation, Tick when) {
    operations_[operation].visible = std::max(operations_[operation].visible, when);
  }
  /// Returns the operation of the current command.
  std::uint32_t operation(CommandLane lane) const { return operation_of_[at(lane).ready.front()]; }
  /// Returns operations whose commands have issued all blocks, each once.
  std::vector<std::uint32_t> take_over() { return std::exchange(over_, {}); }
  std::vector<std::string> waiting() const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  struct Slot {
    std::vector<std::uint32_t> uses;  // commands that receive into it, in program order
    std::size_t use = 0;
    std::uint64_t arrived = 0;
  };
  struct Progress {
    std::uint32_t waits_for = 0;  // unmet conditions: the start, commands not yet issued, and its slot
    Tick since = 0;               // time of the last condition met
    std::uint64_t unacknowledged = 0;
    std::vector<std::uint32_t> followers;
    bool issued = false;
  };
  struct Operation {
    std::uint32_t first = 0, left = 0;  // first command; number of commands not done
    std::uint32_t count = 0;
    Tick visible = 0;
  };
  struct Lane {
    RingQueue<std::uint32_t> ready;
    std::uint64_t next = 0;  // next block of the first command
    Tick visible = 0;        // latest visible time of its blocks so far
    SignalProbe probe;
  };
  Lane& at(CommandLane lane) { return lanes_[static_cast<std::size_t>(lane)]; }
  const Lane& at(CommandLane lane) const { return lanes_[static_cast<std::size_t>(lane)]; }
  void satisfied(std::uint32_t command, Tick now);
  void finish(std::uint32_t command, Tick now);
  std::uint64_t expected(const Slot& s) const { return commands_[s.uses[s.use]].block_count; }

  std::vector<GpuCommand> commands_;
  std::vector<Progress> progress_;
  std::vector<Slot> slots_;
  std::vector<Operation> operations_;
  std::vector<std::uint32_t> operation_of_;  // by command
  std::vector<std::uint32_t> over_;
  std::vector<Message> messages_;
  std::array<Lane, 2> lanes_;
  std::size_t done_ = 0;
  std::uint32_t unacknowledged_from_ = 0;  // all earlier commands have ended, acks included
  bool fence_ = false;
};

}  // namespace tributary
