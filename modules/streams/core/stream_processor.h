#pragma once
/// StreamProcessor: the front end of a GPU, which runs streams of commands on hardware queues (Wang et al., MLSys 2020, 4).

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "modules/streams/core/copy_hub.h"
#include "modules/streams/core/engine_grants.h"
#include "modules/streams/core/kernel_unit.h"
#include "modules/streams/core/semaphore_table.h"
#include "modules/streams/core/stream_event.h"
#include "modules/timing/core/event_slots.h"

namespace tributary {

/// The copy engines of a GPU.
class EngineArray {
 public:
  virtual ~EngineArray() = default;
  virtual unsigned engines() const = 0;
  /// Returns the sender of the bursts of the engine's copies.
  virtual BurstSource& source(unsigned engine) = 0;
  /// Starts a copy that is granted at `now`. The command stays valid until StreamProcessor::copy_done(). Returns true if the
  /// engine accepts another copy immediately.
  virtual bool submit(unsigned engine, CopyCommand& command, Tick now) = 0;
};

class StreamListener {
 public:
  virtual ~StreamListener() = default;
  /// `left` commands have not ended.
  virtual void command_ended(std::uint32_t left, Tick now) = 0;
};

/// Stream s uses queue s mod `streams.queues`. Each queue is a FIFO: its head begins when the command before it has ended. A
/// copy waits for an engine and all links of its path, which are granted together once its descriptor is fetched.
class StreamProcessor : private SemaphoreWaiter, private KernelListener {
 public:
  static constexpr unsigned max_queues = 128;  ///< at least one
  struct Config {
    std::uint16_t gpu = 0;
    StreamsParams streams;
    CopyArbitration arbitration = CopyArbitration::first;
    Tick peer_switch = 0;
    Tick fetch = 0, completion = 0;  ///< times of a copy
    unsigned physical_engines = 0;   ///< 0: as many as logical ones
    EngineLinks links = EngineLinks::all;
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

  /// Starts the program's commands at `t0`. The program stays valid until they have ended.
  void post(const StreamProgram& program, Tick t0);
  void post(const StreamProgram&&, Tick) = delete;  // a temporary ends before its commands
  Tick next() const { return events_.next(); }
  /// Ends and begins commands at `now`, except the grants of copies.
  void handle(Tick now);
  /// Grants engines and links to copies. Call it last within an instant. Returns true if it granted any.
  bool grant(Tick now);
  /// The copy of an engine is done at `when`, which is now or later.
  void copy_done(const CopyCommand& command, Tick when);
  std::uint32_t left() const { return left_; }

  std::vector<std::string> waiting() const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix);

  StreamCommandProbe commands;  ///< each command as it begins, is granted and ends

 private:
  static constexpr int no_queue = -1;
  enum class State : std::uint8_t { idle, not_issued, busy, waits_value, fetches, waits_grant, copies, completes };
  struct Queue {
    std::vector<std::uint32_t> commands;  // numbers in the program
    std::size_t head = 0;
    State state = State::idle;
    Tick since = 0;  // begin of its head
    CopyCommand copy{};
    unsigned engine = 0;
    Tick starved = 0;  // ticks for which its head starved
  };
  struct Probes {
    SignalProbe command, stalled;
  };
  // SemaphoreWaiter
  void reached(std::uint32_t queue, Tick there, Tick now) override;
  // KernelListener
  void kernel_ended(std::uint32_t queue, Tick now) override {
    queues_[queue].starved = around_.kernels.starved();
    end(queue, now);
  }

  const StreamCommand& command(const Queue& q) const { return program_->commands[q.commands[q.head]]; }
  void look(unsigned queue, Tick now);
  void begin(unsigned queue, Tick now);
  void end(unsigned queue, Tick now);
  void await_grant(unsigned queue, Tick now);
  void release_links(unsigned queue);
  void tell(const StreamCommand& record, Tick now);
  bool goes_on(const Queue& q) const;
  /// Returns another queue that holds a link of the path of the copy of `queue`, or no_queue.
  int owner_of(unsigned queue) const;
  bool links_free(unsigned queue) const { return owner_of(queue) == no_queue; }
  std::string text(unsigned queue) const;

  Config config_;
  Around around_;
  const StreamProgram* program_ = nullptr;
  Tick t0_ = 0;
  std::vector<Queue> queues_;
  std::vector<unsigned> ready_;  // queues whose copies wait, by (since, stream)
  EngineGrants engines_;
  std::array<int, CopyHub::max_ports> owner_{};  // by port: queue whose copy holds the link
  EventSlots<7> events_;                         // by queue
  std::uint32_t left_ = 0;
  std::vector<Probes> probes_;
};

}  // namespace tributary
