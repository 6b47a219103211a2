#pragma once
/// HostAgent: what drives a NIC in a host: flow control of NetReduce, an executor of schedules, a server, software of a
/// baseline.

#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/base/units.h"
#include "modules/ethernet/core/verbs.h"

namespace tributary {

/// Pure rules; all times are exact, in picoseconds. What happens at an instant: first the NIC, which calls completed(),
/// arrived() and failed() with that instant, then the engine's own events; then the NIC again, if the engine has posted what
/// is due at once. Data of a message lie in memory when arrived() is called. The engine posts with the time of its event, or
/// with that of the call. A program begins by a call of the engine's own (its module wakes the host:
/// HostAgentModule::wake).
class HostAgent : public VerbsListener {
 public:
  /// Does all that happens up to and including `horizon`; returns next().
  virtual Tick run_until(Tick horizon) = 0;
  /// When its next own event happens; `never` without one.
  virtual Tick next() const = 0;
  /// One line for each thing that it waits for; empty when it is quiescent.
  virtual std::vector<std::string> waiting() const = 0;
  virtual void reset() = 0;
  /// Adds its probes, under names that begin with `prefix`.
  virtual void describe(ProbeDirectory& directory, const std::string& prefix) = 0;
};

}  // namespace tributary
