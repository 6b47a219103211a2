#pragma once
/// NetworkDevice: what a platform asks of each of its devices, whatever they are.

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/timing/device.h"
#include "modules/link/core/link_meter.h"
#include "modules/link/link_protocol.h"

namespace tributary {

/// A port as the wiring sees it, however many VCs it has.
struct LinkEnd {
  LinkInitiator& out;
  LinkTarget& in;
  LinkMeter& sent;  ///< of the outgoing direction
};

class NetworkDevice {
 public:
  virtual ~NetworkDevice() = default;

  virtual unsigned ports() const = 0;
  /// Throws std::out_of_range.
  virtual LinkEnd link_end(unsigned port) = 0;
  /// When the latest credit so far is home: after that, nothing is under way.
  virtual Tick last_credit() const = 0;
  /// Names of what still holds packets, credits or entries; empty when quiescent.
  virtual std::vector<std::string> waiting() const = 0;
  virtual void reset() = 0;
  /// The measured time of a run begins at t0, and scripted times count from there.
  virtual void begin_run(Tick /*t0*/) {}
  virtual void describe(ProbeDirectory& directory) = 0;

  // How it advances: as Device.
  virtual void set_windows(const Windows& windows) = 0;
  virtual void stop_at(Tick when) = 0;
  virtual std::uint64_t activations() const = 0;
};

}  // namespace tributary
