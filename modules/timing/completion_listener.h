#pragma once
/// CompletionListener: notified when the operation of an endpoint (a GPU, a NIC) ends.

#include <string>

#include "modules/base/units.h"

namespace tributary {

/// Calls are ahead of kernel time and carry the exact time.
class CompletionListener {
 public:
  virtual ~CompletionListener() = default;
  virtual void done(unsigned endpoint, Tick when) = 0;
  virtual void failed(unsigned endpoint, Tick when, const std::string& why) = 0;
};

}  // namespace tributary
