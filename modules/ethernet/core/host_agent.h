#pragma once
/// HostAgent: the software that drives the NIC of a host: flow control of NetReduce, execution of a schedule, a parameter
/// server, or a program of the user's.

#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/base/units.h"
#include "modules/ethernet/core/verbs.h"

namespace tributary {

/// Pure rules; all times are exact, in picoseconds. Events at one instant have this order: the NIC's, which calls
/// completed(), arrived() and failed() with that instant; then the agent's own; then those of the NIC again, if the agent
/// has posted a request that is due immediately. Data of a message are in memory when arrived() is called. The agent posts
/// requests with the time of its event or of the call. A program begins with a call to the agent, whose module then wakes
/// the host (HostAgentModule::wake).
class HostAgent : public VerbsListener {
 public:
  /// Processes all events up to and including `horizon`; returns next().
  virtual Tick run_until(Tick horizon) = 0;
  /// Returns the time of the agent's next own event; `never` if there is none.
  virtual Tick next() const = 0;
  /// Returns one line for each thing that the agent waits for; empty if it is quiescent.
  virtual std::vector<std::string> waiting() const = 0;
  virtual void reset() = 0;
  /// Adds the agent's probes, with names that begin with `prefix`.
  virtual void describe(ProbeDirectory& directory, const std::string& prefix) = 0;
};

}  // namespace tributary
