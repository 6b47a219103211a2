#pragma once
/// StreamProcessor: the front end of a GPU: streams of commands on hardware queues (Wang et al., MLSys 2020, 4).

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "modules/timing/core/event_slots.h"
#include "modules/streams/core/copy_hub.h"
#include "modules/streams/core/kernel_unit.h"
#include "modules/streams/core/semaphore_table.h"
#include "modules/streams/core/stream_event.h"

namespace tributary {

/// The copy engines of a GPU, behind their sockets.
class EngineArray {
 public:
  virtual ~EngineArray() = default;
  virtual unsigned engines() const = 0;
  /// What sends the bursts of a copy that it is given.
  virtual BurstSource& source(unsigned engine) = 0;
  /// Granted at `now`; the command stands until StreamProcessor::copy_done(). True: the engine takes another one at once.
  virtual bool submit(unsigned engine, CopyCommand& command, Tick now) = 0;
};

class StreamListener {
 public:
  virtual ~StreamListener() = default;
  /// So many are left.
  virtual void command_ended(std::uint32_t left, Tick now) = 0;
};

/// Stream s lies on queue s mod `streams.queues`, a FIFO: its head begins when the command before it has ended. A copy waits
/// for an engine and for all links of its way, granted together.
class StreamProcessor : private SemaphoreWaiter, private KernelListener {
 public:
  static constexpr unsigned max_queues = 128;  ///< at least one
  struct Config {
    std::uint16_t gpu = 0;
    StreamsParams streams;
    CopyArbitration arbitration = CopyArbitration::first;
    Tick peer_switch = 0;
  };
  struct Around {
    CopyHub& hub;
    SemaphoreTable& semaphores;
    KernelUnit& kernels;
    EngineArray& engines;
    StreamListener& listener;
  };
  StreamProcessor(const Config& config, const Around& around);
  KernelListener& kernel_listener() { return *this; }

  /// Of a program that stands until all of it has ended.
  void post(const StreamProgram& program, Tick t0);
  Tick next() const { return events_.next(); }
  /// What ends and begins at `now`, but for copies.
  void handle(Tick now);
  /// All else of that instant has been decided: copies get engines and links. True: some has.
  bool grant(Tick now);
  /// The copy of an engine is done at `when`, now or later.
  void copy_done(const CopyCommand& command, Tick when);
  std::uint32_t left() const { return left_; }

  std::vector<std::string> waiting() const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix);

  StreamCommandProbe commands;  ///< each command as it begins, is granted and ends

 private:
  static constexpr int no_queue = -1;
  enum class State : std::uint8_t { idle, not_issued, busy, waits_value, waits_grant, copies };
  struct Queue {
    std::vector<std::uint32_t> commands;  // numbers in the program
    std::size_t head = 0;
    State state = State::idle;
    Tick since = 0;  // its head has begun
    CopyCommand copy{};
    unsigned engine = 0;
  };
  struct Probes {
    SignalProbe command, stalled;
  };
  // SemaphoreWaiter
  void reached(std::uint32_t queue, Tick there, Tick now) override;
  // KernelListener
  void kernel_ended(std::uint32_t queue, Tick now) override { end(queue, now); }

  const StreamCommand& command(const Queue& q) const { return program_->commands[q.commands[q.head]]; }
  void look(unsigned queue, Tick now);
  void begin(unsigned queue, Tick now);
  void end(unsigned queue, Tick now);
  void release(unsigned queue);
  void tell(const StreamCommand& record, Tick now);
  bool goes_on(const Queue& q) const;
  /// The queue that has a link of that way, other than `queue`; no_queue: none has.
  int owner_of(unsigned queue) const;
  bool links_free(unsigned queue) const { return owner_of(queue) == no_queue; }
  std::string text(unsigned queue) const;

  Config config_;
  Around around_;
  const StreamProgram* program_ = nullptr;
  Tick t0_ = 0;
  std::vector<Queue> queues_;
  std::vector<unsigned> ready_;                  // queues whose copies wait, by (since, stream)
  std::vector<bool> engine_open_;                // by engine: takes a copy
  std::array<int, CopyHub::max_ports> owner_{};  // by port: queue whose copy has the link
  EventSlots<7> events_;                         // by queue
  std::uint32_t left_ = 0;
  std::vector<Probes> probes_;
};

}  // namespace tributary
