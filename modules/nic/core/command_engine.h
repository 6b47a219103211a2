#pragma once
/// CommandEngine: unit of a NIC that executes the steps of a software schedule: receive, reduce, send, in the order of
/// their dependencies. It runs the baselines of MultiTree; a schedule table may issue their sends (Huang et al., ISCA 2021,
/// V-A).

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "modules/base/element.h"
#include "modules/base/host/ring_queue.h"
#include "modules/base/probe.h"
#include "modules/nic/core/chunk_sums.h"
#include "modules/nic/core/nic_ports.h"
#include "modules/nic/core/schedule_engine.h"

namespace tributary {

/// Destination of a chunk: the memory of a NIC, and the command there that waits for it.
struct NicTarget {
  std::uint16_t nic = 0, command = 0;
  std::uint64_t address = 0;
};

/// The value is the chunk received at `from`, or its sum with the own chunk (`reduce`), or the own chunk (nothing
/// received). It is then sent to `send`.
struct NicCommand {
  bool receives = false, reduce = false;
  std::uint64_t chunk = 0;  ///< address of the own chunk
  std::uint64_t from = 0;   ///< address of the received chunk; the own address if it overwrites that
  std::uint32_t bytes = 0;
  std::optional<NicTarget> send;
  std::vector<std::uint32_t> after = {};  ///< commands of this NIC that must end before this one begins
  std::optional<std::uint32_t> row = {};  ///< row of the schedule table that triggers its send
  // for observers
  std::uint16_t number = 0;                 ///< number of the chunk in the schedule
  std::uint16_t peer = ScheduleEntry::nil;  ///< NIC that it receives from
};

class CommandListener {
 public:
  virtual ~CommandListener() = default;
  /// Adds the chunk received at `from` to the own chunk, both in local memory.
  virtual void add(const NicCommand& command) = 0;
  /// Sends from local memory; CommandEngine::sent() follows when all of it has been read.
  virtual void send(std::uint32_t command, std::uint64_t address, std::uint32_t bytes, const NicTarget& to, Tick now) = 0;
  /// Returns true if the queue of the interface to `to` has room for a chunk; if not, CommandEngine::wake() follows when a
  /// chunk has left.
  virtual bool room(const NicTarget&) const { return true; }
  virtual void commands_done(Tick when) = 0;
};

/// A command begins when its predecessors have ended and its chunk has arrived; it ends when its outgoing data have been
/// read.
class CommandEngine : public RowGate, private ReductionListener {
 public:
  CommandEngine(CommandListener& listener, ReductionPort& reduction, ChunkSums& sums)
      : listener_(listener), reduction_(reduction), sums_(sums) {}

  /// Posts commands on chunks of that element type; the first ones begin at `t0`.
  void post(std::vector<NicCommand> commands, ElementType type, Tick t0);
  /// The last flit of the chunk for that command arrives at `when`, not before the latest run_until().
  void received(std::uint32_t command, Tick when) { later(when, command, What::received); }
  /// Its whole chunk has been read at `when`.
  void sent(std::uint32_t command, Tick when) { later(when, command, What::sent); }
  /// A chunk has left an interface: commands that wait for room may send.
  void wake(Tick now) {
    if (!held_.empty()) later(now, held_.front(), What::room);
  }
  /// Returns the number of chunks queued for addition or being added.
  std::size_t operands() const { return operands_; }
  /// Makes all decisions up to and including `horizon`; returns next().
  Tick run_until(Tick horizon);
  /// Returns the time of the next known event, or `never`.
  Tick next() const { return events_.empty() ? never : events_.front().when; }

  // Rows refer to the posted commands; a row with several commands issues all of them.
  bool ready(std::uint32_t row) const override { return rows_.at(row).missing == 0; }
  void issue(std::uint32_t row, Tick now) override;
  std::string missing(std::uint32_t row) const override;

  /// Returns lines for the first commands that wait only for their chunk, and the number of others; empty when all are
  /// done.
  std::vector<std::string> waiting() const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  enum class What : std::uint8_t { start, received, added, sent, room, idle };
  struct Event {
    Tick when;
    std::uint32_t command;
    What what;
  };
  struct State {
    std::uint32_t missing = 0;  // unmet conditions: predecessors, and the chunk
    Tick since = 0;             // time of the last condition met, or of posting
    bool over = false;
    std::vector<std::uint32_t> followers = {};
  };
  struct Row {
    std::vector<std::uint32_t> commands = {};
    std::size_t missing = 0;  // commands whose outgoing data are not available
  };
  // ReductionListener
  void added(Tick when) override;
  void idle(Tick when) override { later(when, 0, What::idle); }
  void later(Tick when, std::uint32_t command, What what);
  void satisfied(std::uint32_t command, Tick now);
  void begin(std::uint32_t command, Tick now);
  void pass_on(std::uint32_t command, Tick now);
  void send(std::uint32_t command, Tick now);
  void send_held(Tick now);
  void done(std::uint32_t command, Tick now);
  std::size_t operands_of(std::uint16_t number) const;
  /// Returns true if all its predecessors have ended.
  bool awaits_chunk(std::uint32_t command) const;

  CommandListener& listener_;
  ReductionPort& reduction_;
  ChunkSums& sums_;
  std::vector<NicCommand> commands_;
  std::vector<State> states_;
  std::vector<Row> rows_;
  std::size_t left_ = 0, operands_ = 0;
  std::deque<std::uint32_t> adding_;  // commands whose chunk is added at a time that is not known
  std::vector<std::uint32_t> held_;   // commands without rows that wait for room in an interface, in order
  ElementType type_ = ElementType::f32;
  RingQueue<Event> events_;  // in order of (time, command)
  SignalProbe begun_;
};

}  // namespace tributary
