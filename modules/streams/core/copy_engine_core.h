#pragma once
/// CopyEngineCore: a copy engine that sends one copy at a time in bursts (Wang et al., MLSys 2020, 4).

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/base/units.h"
#include "modules/streams/core/burst_cutter.h"

namespace tributary {

/// The calls of an engine to the modules at its sockets. Times are exact and may be later than the time of the SystemC
/// kernel.
class CopyEnginePort {
 public:
  virtual ~CopyEnginePort() = default;
  /// Returns the time from the request of the copy's data at `now` to the first data.
  virtual Tick memory_latency(const CopyCommand& command, Tick now) = 0;
  /// The burst may leave from `ready` on.
  virtual void send(const Burst& burst, Tick ready) = 0;
  virtual void done(const CopyCommand& command, Tick when) = 0;
};

/// The first bursts may leave at grant + `launch` + latency of the memory. The port hub holds up to two bursts of each lane
/// that have not begun to leave.
class CopyEngineCore {
 public:
  CopyEngineCore(Tick launch, CopyEnginePort& port) : launch_(launch), port_(port) {}

  /// Starts a copy that is granted at `now`. The command stays valid until it is done. Throws std::logic_error if another
  /// copy is in progress.
  void submit(const CopyCommand& command, Tick now);
  /// A burst of the lane has begun to leave.
  void room(unsigned lane, Tick now);
  /// The last burst of a lane has left.
  void left(Tick now);

  std::vector<std::string> waiting() const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  void finish(Tick when);

  Tick launch_;
  CopyEnginePort& port_;
  const CopyCommand* command_ = nullptr;
  std::vector<BurstCutter> lanes_;
  unsigned lanes_left_ = 0;
  SignalProbe busy_, copy_;
};

}  // namespace tributary
