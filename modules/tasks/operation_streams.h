#pragma once
/// OperationStreams: when the operations of a device's communication streams begin, and its marks end.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/tasks/task_program.h"

namespace tributary {

/// An operation begins when the tasks here before it have ended and the one before it on its stream is over here, or
/// (TaskProgram::pipelined) has issued all that it has to send. Its launch passes, then its engine carries it out. A mark
/// ends its time after what it waits for.
class OperationStreams {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    /// It has its stream.
    virtual void operation_begun(std::uint32_t task, Tick now) = 0;
    /// Its engine may send.
    virtual void operation_launched(std::uint32_t task, Tick now) = 0;
    /// A task, mark or operation, is over.
    virtual void operation_ended(std::uint32_t task, Tick now) = 0;
  };
  explicit OperationStreams(Listener& listener) : listener_(listener) {}

  /// The program must stay until the next load() or reset().
  void load(const TaskProgram& program);
  /// Whatever these change takes effect in run() at the same instant.
  void ready(std::uint32_t task, Tick now);
  void issued(std::uint32_t operation, Tick now);
  /// `when`: all that it writes here is visible then.
  void over(std::uint32_t operation, Tick when);
  Tick next() const { return due_.empty() ? never : due_.begin()->first; }
  void run(Tick now);

  /// Begun and not over.
  unsigned in_flight() const { return in_flight_; }
  std::vector<std::string> waiting() const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  enum class What : std::uint8_t { launch, end };
  struct Due {
    What what;
    std::uint32_t task;
  };
  struct Stream {
    std::uint32_t number = 0;
    std::vector<std::uint32_t> tasks;
    std::size_t first = 0;  // that has not begun
    bool busy = false;      // the one before holds it up
  };
  Stream& stream_of(std::uint32_t task) { return streams_[place_[task]]; }
  void handle(const Due& due, Tick now);
  bool begin_one(Tick now);

  Listener& listener_;
  const TaskProgram* program_ = nullptr;
  std::vector<Stream> streams_;
  std::vector<std::uint32_t> place_;         // by task: its stream
  std::vector<std::uint32_t> task_of_;       // by operation
  std::vector<bool> ready_, passed_;         // by task; passed: it holds its stream up no more
  std::multimap<Tick, Due> due_;
  unsigned in_flight_ = 0;
  SignalProbe shown_in_flight_;
};

}  // namespace tributary
