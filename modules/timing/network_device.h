#pragma once
/// NetworkDevice: interface of a platform to each of its devices.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/link/core/link_meter.h"
#include "modules/link/link_protocol.h"
#include "modules/timing/device.h"

namespace tributary {

/// Sockets and meter by which a port is wired, independent of its VCs.
struct LinkEnd {
  LinkInitiator& out;
  LinkTarget& in;
  LinkMeter& sent;            ///< outgoing direction
  LanePort* lanes = nullptr;  ///< port that can send into another lane; null: it cannot
};

class NetworkDevice {
 public:
  virtual ~NetworkDevice() = default;

  virtual unsigned ports() const = 0;
  /// Throws std::out_of_range.
  virtual LinkEnd link_end(unsigned port) = 0;
  /// Returns the arrival time of the latest credit so far; after it, nothing is in flight.
  virtual Tick last_credit() const = 0;
  /// Returns a line for each part that still holds packets, credits or entries; empty when quiescent.
  virtual std::vector<std::string> waiting() const = 0;
  virtual void reset() = 0;
  /// Starts the measured time of a run at t0, the base of scripted times.
  virtual void begin_run(Tick /*t0*/) {}
  virtual void describe(ProbeDirectory& directory) = 0;

  // As for Device.
  virtual void set_windows(const Windows& windows) = 0;
  /// Lets the parts of the device wait for delta cycles in their calls. Throws std::logic_error if the device has no such
  /// parts.
  virtual void run_in_thread() { throw std::logic_error("the parts of this device cannot wait in calls"); }
  virtual void stop_at(Tick when) = 0;
  virtual std::uint64_t activations() const = 0;
  /// Throws std::logic_error if the device cannot run in a lane.
  virtual void set_lane(Lane&, unsigned /*order*/) { throw std::logic_error("this device cannot run in a lane"); }
  /// The link of `port` leads into another lane.
  virtual void cross_lane(unsigned /*port*/) {}
};

}  // namespace tributary
