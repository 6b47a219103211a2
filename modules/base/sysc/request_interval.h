#pragma once
/// RequestInterval: the interval of an access by generic payload, as an ignorable extension.

#include <tlm>

#include "modules/base/access_timing.h"

namespace tributary {

/// Timing::interval of generic payload. A target that does not know the extension accepts the next request after the
/// nominal interval of the device.
class RequestInterval : public tlm::tlm_extension<RequestInterval> {
 public:
  Tick interval = 0;

  /// Called by a target: it accepts the next request `time` later than after the nominal interval. Without the extension
  /// the call has no effect.
  static void add(tlm::tlm_generic_payload& access, Tick time) {
    if (auto* const extension = access.get_extension<RequestInterval>()) extension->interval += time;
  }

  tlm::tlm_extension_base* clone() const override { return new RequestInterval(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    interval = static_cast<const RequestInterval&>(other).interval;
  }
};

/// Returns the interval of an access; 0 without the extension.
inline Tick interval_of(const tlm::tlm_generic_payload& access) {
  const auto* const extension = access.get_extension<RequestInterval>();
  return extension == nullptr ? 0 : extension->interval;
}

}  // namespace tributary
