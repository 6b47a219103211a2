#pragma once
/// CrossbarArbiter: interface of an arbiter of a user, which replaces the round robin of a switch's crossbar.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/base/units.h"

namespace tributary {

/// Chooses for each free output among the first packets of all queues whose inputs are idle (docs/blocks/switch.md#arbiter).
class CrossbarArbiter {
 public:
  struct Request {
    unsigned input;     ///< port by which the packet has arrived, or into whose replication buffer the table has sent it
    unsigned queue;     ///< queue of that input: its VC, or the number of VCs for the replication buffer
    unsigned resource;  ///< room that it needs at the output: a VC's queue, or the queue before the egress stage
  };
  virtual ~CrossbarArbiter() = default;

  /// Returns the index of the request that `output` serves; `requests` is not empty. If its packet finds no room, the
  /// requests for that resource are removed and the rest is offered again. A choice may be asked for again, so it must not
  /// change the state of the arbiter.
  virtual std::size_t choose(unsigned output, const std::vector<Request>& requests, Tick now) = 0;
  /// The packet of that request begins to cross.
  virtual void granted(unsigned output, const Request& request, Tick now) = 0;
  virtual void reset() = 0;
  /// Adds probes; their names begin with `prefix`.
  virtual void describe(ProbeDirectory&, const std::string&) {}
};

struct CrossbarArbiterConfig {
  std::string device;  ///< hierarchical name of the switch
  unsigned ports = 0;
  unsigned queues = 0;      ///< at each input
  Bandwidth crossbar = {};  ///< rate of each input
  Tick arbitration = 0;     ///< from the request of a packet for its outputs until it may cross
};

/// Creates the arbiter of one switch. Null: round robin.
using CrossbarArbiterFactory = std::function<std::unique_ptr<CrossbarArbiter>(const CrossbarArbiterConfig&)>;

}  // namespace tributary
