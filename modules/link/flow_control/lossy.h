#pragma once
/// LossyFlowControl: no flow control: the sender never waits; the far end drops a packet for which it has no room
/// (ReceiveBuffer).

#include <string>

#include "modules/base/units.h"
#include "modules/protocol/traits.h"

namespace tributary {

class LossyFlowControl {
 public:
  struct Config {};
  static constexpr bool counts_flits = false;

  explicit LossyFlowControl(Config) {}

  Tick may_start(Tick t, unsigned) const { return t; }
  void spend(Tick, unsigned) {}
  void give_back(Tick, unsigned, Tick) {}
  Tick decided_until(Tick, Tick, unsigned, Tick) const { return never; }
  Tick may_start_with(Tick, unsigned) const { return never; }
  bool idle() const { return true; }
  std::string waiting() const { return ""; }
  void reset() {}
};

}  // namespace tributary
