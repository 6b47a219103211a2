#pragma once
/// CompletionListener: notified when the operation of an endpoint (a GPU, a NIC) ends or fails.

#include <string>

#include "modules/base/units.h"

namespace tributary {

/// Calls are ahead of kernel time and carry the exact time.
class CompletionListener {
 public:
  virtual ~CompletionListener() = default;
  virtual void done(unsigned endpoint, Tick when) = 0;
  /// The endpoint gives up, for example after its last retry.
  virtual void failed(unsigned endpoint, Tick when, const std::string& why) = 0;
  /// The endpoint cannot process its data, for example because a value does not fit into the format of a packet.
  virtual void bad_value(unsigned endpoint, Tick when, const std::string& why) { failed(endpoint, when, why); }
};

}  // namespace tributary
