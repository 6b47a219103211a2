#pragma once
/// CopyEngineCore: a copy engine: one copy at a time, in bursts (Wang et al., MLSys 2020, 4).

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/base/units.h"
#include "modules/streams/core/burst_cutter.h"

namespace tributary {

/// What an engine asks of the modules behind its sockets. Times are exact and may lie ahead of the kernel's.
class CopyEnginePort {
 public:
  virtual ~CopyEnginePort() = default;
  /// From the request of the copy's data at `now` to the first of them.
  virtual Tick memory_latency(const CopyCommand& command, Tick now) = 0;
  /// The burst may leave from `ready` on.
  virtual void send(const Burst& burst, Tick ready) = 0;
  virtual void done(const CopyCommand& command, Tick when) = 0;
};

/// The first bursts may leave `launch` and the memory's latency after the copy is granted; two of each lane lie ahead in the
/// port hub.
class CopyEngineCore {
 public:
  CopyEngineCore(Tick launch, CopyEnginePort& port) : launch_(launch), port_(port) {}

  /// Granted at `now`; the command stands until it is done. Throws std::logic_error beside another copy.
  void submit(const CopyCommand& command, Tick now);
  /// A burst of that lane has begun to leave.
  void room(unsigned lane, Tick now);
  /// The last one of that lane has left.
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
