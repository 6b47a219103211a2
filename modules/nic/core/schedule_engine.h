#pragma once
/// ScheduleEngine: executes a NIC's schedule table in lockstep (Huang et al., ISCA 2021, IV-A).

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "modules/base/element.h"
#include "modules/base/host/ring_queue.h"
#include "modules/nic/core/chunk_sums.h"
#include "modules/nic/core/dependency_table.h"
#include "modules/nic/core/lockstep_timer.h"
#include "modules/nic/core/nic_ports.h"
#include "modules/nic/core/row_states.h"
#include "modules/nic/core/schedule_check.h"
#include "modules/nic/core/schedule_reader.h"

namespace tributary {

/// The work of one NIC for one collective. Posted as a whole, before the measured time begins.
struct NicOperation {
  std::vector<ScheduleEntry> entries;  ///< ordered by step; written to the table
  std::uint32_t reduces = 0;           ///< Reduces that it will receive, one per child and tree
  std::uint32_t gathers = 0;           ///< Gathers that it will receive, one per tree
  bool reduction = true;               ///< the collective reduces: a root gathers its reduced chunk
  ElementType type = ElementType::f32;
  std::uint32_t rows = 0;    ///< without `entries`: rows of the table, which was loaded over its socket
  Tick loaded = 0;           ///< for observers: time at which the table was loaded
  std::uint32_t number = 0;  ///< of the operation in a step
};

/// Interface of the engine to its NIC.
class ScheduleListener {
 public:
  /// Chunks over one link share its time. No rate: the common rate of all links.
  struct SendPath {
    std::uint32_t link;
    std::optional<Bandwidth> rate;
  };
  virtual ~ScheduleListener() = default;
  /// An entry is issued: its chunk is sent to the parent (reduce), or to all children (gather).
  virtual void send(const ScheduleEntry& entry, Tick now) = 0;
  /// All entries are issued, and all expected chunks have arrived and been added.
  virtual void operation_done(Tick when) = 0;
  /// Returns an interface whose queue has no room for the entry's chunks, if there is one. The entry then waits, and
  /// ScheduleEngine::wake() follows when a chunk has left.
  virtual std::optional<unsigned> full_interface(const ScheduleEntry&) const { return {}; }
  /// Returns the link of a chunk of that tree to a parent, a child, or the target of a command.
  virtual SendPath path(std::uint16_t /*tree*/, std::uint16_t to) const { return {to, {}}; }
};

/// Executes the rows of a table in place of the engine, which triggers them: rows that software has lowered to commands.
class RowGate {
 public:
  virtual ~RowGate() = default;
  /// Returns true if the outgoing data of the row are available.
  virtual bool ready(std::uint32_t row) const = 0;
  virtual void issue(std::uint32_t row, Tick now) = 0;
  /// Describes the conditions that a row waits for.
  virtual std::string missing(std::uint32_t row) const = 0;
};

/// Issue rule: an entry is issued when its step equals the timestep counter and its dependencies are met; one per
/// `issue_interval`. The counter advances to the step of the next entry when the lockstep counter is zero, the reduction
/// unit is idle, all entries of the step are issued and the rows of the next one are read. A step without an entry in the
/// table is skipped (a NOP makes a NIC wait). NICs wait for each other only through data.
class ScheduleEngine : private AnswerListener, private ReductionListener {
 public:
  struct Config {
    std::uint16_t node = 0;
    NicParams params;
    Bandwidth link_rate;  ///< rate of the slowest link; with `flow_control` it gives the estimated time of a chunk
    FlowControlParams flow_control;
    std::uint32_t table_rows = 0;  ///< for observers
  };
  ScheduleEngine(const Config& config, ScheduleListener& listener, TablePort& table, ReductionPort& reduction);

  /// Loads the table, and the dependencies from its rows. The first step begins at `t0`, or when its rows are read. Throws
  /// ScheduleTableError.
  void post(NicOperation operation, Tick t0, RowGate* gate = nullptr);
  /// Call when rows of a gate have become ready at `now`. Returns true if one has been issued.
  bool look(Tick now);
  /// The last flit of a chunk from a neighbour arrives at `when`, not before the latest run_until().
  void receive(ScheduleEntry::Op op, std::uint16_t tree, std::uint16_t from, std::uint64_t bytes, Tick when);
  /// Makes all decisions up to and including `horizon`; returns the time of the next known decision.
  Tick run_until(Tick horizon);
  /// Returns the time of the next event.
  Tick next() const;

  /// An entry that could not be issued may be issued now.
  void wake(Tick now) { due_ = std::min(due_, now); }

  bool active() const { return active_; }
  /// Returns the number of chunks queued for addition or being added.
  std::size_t operands() const { return adding_.size(); }
  bool gated() const { return gate_ != nullptr; }
  std::uint16_t step() const { return timer_.step(); }
  /// Describes the conditions that an operation waits for; empty when quiescent.
  std::vector<std::string> waiting() const;
  void reset();
  /// Returns the rows of the table read since the last reset.
  std::uint64_t table_reads() const { return reader_.reads(); }
  void describe(ProbeDirectory& directory, const std::string& prefix);

  /// FlowID of each entry issued.
  SignalProbe issued;
  /// FlowID of each chunk that clears a dependency.
  SignalProbe dependency_cleared;
  /// Sums of the trees, for schedules and for commands.
  ChunkSums sums;

 private:
  struct Arrival {
    Tick when;
    ScheduleEntry::Op op;
    std::uint16_t tree, from;
    std::uint64_t bytes;
  };
  /// A row that the table has answered later.
  void answered(Ticket ticket, Tick when) override;
  // ReductionListener
  void added(Tick when) override;
  void idle(Tick when) override { wake(when); }
  void handle(Tick now);
  void accept(const Arrival& arrival);
  void advance(Tick now);
  bool begin_step(Tick now);
  bool issue_next(Tick now);
  void issue(std::size_t index, Tick now);
  void take(std::size_t index, Tick now);
  void check_done(Tick now);
  bool satisfied(std::size_t index) const;
  bool ready(const ScheduleEntry& entry, std::uint32_t row) const;
  void clear(Tick when, ScheduleEntry::Op op, std::uint16_t tree, std::uint16_t from);
  Tick estimate(const ScheduleEntry& entry, std::optional<Bandwidth> rate = {}) const;
  Tick step_estimate() const;
  std::string blocked_by() const;

  Config config_;
  ScheduleListener& listener_;
  TablePort& table_;
  RowGate* gate_ = nullptr;
  ScheduleReader reader_;
  DependencyTable dependencies_;
  RowStates row_states_;
  StepEstimate estimate_;
  LockstepTimer timer_;
  ReductionPort& reduction_;

  NicOperation operation_;  // without its entries
  bool active_ = false;
  std::uint32_t reduced_ = 0, gathered_ = 0;
  Tick start_at_ = never;
  Tick issued_at_ = 0, arrived_at_ = 0;  // times of the latest entry and of the latest chunk
  Tick due_ = never;                     // time at which the timestep counter may advance, or the decoder is free
  Tick decoder_free_at_ = 0;
  RingQueue<Arrival> arrivals_, adding_;  // in order of time; `adding_`: the time at which the chunk is added
};

}  // namespace tributary
