#pragma once
/// CommandEngine: a NIC that carries out the steps of a software schedule: receive, reduce, send, in the order of their
/// dependencies. The baselines of MultiTree run on it; what they send, a schedule table may issue (Huang et al., ISCA 2021,
/// V-A).

#include <cstdint>
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

/// Where a chunk goes: the memory of a NIC, and the command there that waits for it.
struct NicTarget {
  std::uint16_t nic = 0, command = 0;
  std::uint64_t address = 0;
};

/// value = what arrives at `from`, or that added to the own chunk (`reduce`), or the own chunk (nothing received); then it
/// goes to `send`.
struct NicCommand {
  bool receives = false, reduce = false;
  std::uint64_t chunk = 0;  ///< address of the own chunk
  std::uint64_t from = 0;   ///< where the received one lies; the own place, if it overwrites that
  std::uint32_t bytes = 0;
  std::optional<NicTarget> send;
  std::vector<std::uint32_t> after = {};  ///< commands of this NIC that end before this one begins
  std::optional<std::uint32_t> row = {};  ///< of the schedule table, which says when it sends
  // for observers
  std::uint16_t flow = 0;                   ///< number of the chunk in the schedule
  std::uint16_t peer = ScheduleEntry::nil;  ///< NIC that it receives from
};

class CommandListener {
 public:
  virtual ~CommandListener() = default;
  /// Adds what has come at `from` to the own chunk, both in the own memory.
  virtual void add(const NicCommand& command) = 0;
  /// Sends from the own memory; CommandEngine::sent() when all of it has been read.
  virtual void send(std::uint32_t command, std::uint64_t address, std::uint32_t bytes, const NicTarget& to, Tick now) = 0;
  /// There is room for a chunk in the queue of the interface to `to`; if not, CommandEngine::wake() when one has left.
  virtual bool room(const NicTarget&) const { return true; }
  virtual void commands_done(Tick when) = 0;
};

/// A command begins when those before it have ended and its chunk is in; it ends when what it sends has been read.
class CommandEngine : public RowGate {
 public:
  CommandEngine(CommandListener& listener, ReductionPort& reduction, ChunkSums& sums)
      : listener_(listener), reduction_(reduction), sums_(sums) {}

  /// Chunks of that type; the first commands begin at `t0`.
  void post(std::vector<NicCommand> commands, ElementType type, Tick t0);
  /// The last flit of the chunk for that command is in at `when`, not before the latest run_until().
  void received(std::uint32_t command, Tick when) { later(when, command, What::received); }
  /// All of its chunk has been read at `when`.
  void sent(std::uint32_t command, Tick when) { later(when, command, What::sent); }
  /// A chunk has left an interface: commands that wait for room may send.
  void wake(Tick now) {
    if (!held_.empty()) later(now, held_.front(), What::room);
  }
  /// Chunks that wait to be added, or are being added.
  std::size_t operands() const { return operands_; }
  /// Decides all up to and including `horizon`; returns next().
  Tick run_until(Tick horizon);
  /// Of the next event, as far as is known.
  Tick next() const { return events_.empty() ? never : events_.front().when; }

  // Rows are those of the commands posted; a row with several commands issues all.
  bool ready(std::uint32_t row) const override { return rows_.at(row).missing == 0; }
  void issue(std::uint32_t row, Tick now) override;
  std::string missing(std::uint32_t row) const override;

  /// The first commands that have not begun and wait for no other one, and how many more there are; empty when all are done.
  std::vector<std::string> waiting() const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  enum class What : std::uint8_t { start, received, added, sent, room };
  struct Event {
    Tick when;
    std::uint32_t command;
    What what;
  };
  struct State {
    std::uint32_t missing = 0;  // commands before it, and the chunk
    Tick since = 0;             // the latest of these has come, or the command was posted
    bool over = false;
    std::vector<std::uint32_t> followers = {};
  };
  struct Row {
    std::vector<std::uint32_t> commands = {};
    std::size_t missing = 0;  // of these, what they send is not at hand
  };
  void later(Tick when, std::uint32_t command, What what);
  void satisfied(std::uint32_t command, Tick now);
  void begin(std::uint32_t command, Tick now);
  void pass_on(std::uint32_t command, Tick now);
  void send(std::uint32_t command, Tick now);
  void send_held(Tick now);
  void done(std::uint32_t command, Tick now);
  std::size_t operands_of(std::uint16_t flow) const;
  /// All commands before it are over.
  bool awaits_chunk(std::uint32_t command) const;

  CommandListener& listener_;
  ReductionPort& reduction_;
  ChunkSums& sums_;
  std::vector<NicCommand> commands_;
  std::vector<State> states_;
  std::vector<Row> rows_;
  std::size_t left_ = 0, operands_ = 0;
  std::vector<std::uint32_t> held_;  // commands without rows that wait for room in an interface, in order
  ElementType type_ = ElementType::f32;
  RingQueue<Event> events_;  // in order of (time, command)
  SignalProbe begun_;
};

}  // namespace tributary
