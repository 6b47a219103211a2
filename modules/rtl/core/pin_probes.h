#pragma once
/// PinProbes: probes of all pins of a block in RTL.

#include <cstdint>
#include <deque>
#include <string>

#include "modules/base/pin_table.h"
#include "modules/base/wide_probe.h"
#include "modules/rtl/core/rtl_model.h"

namespace tributary {

/// Levels: at the time of an edge, a pin shows the value that is sampled at that edge. `clk` rises at this time, and falls
/// half a period later. A firing replaces an earlier one of the same time.
class PinProbes {
 public:
  /// Pins that the model lacks have no probe.
  PinProbes(const PinTable& table, const PinParameters& parameters, const PinSet& pins);

  /// Adds the probes; names begin with `prefix`.
  void describe(ProbeDirectory& directory, const std::string& prefix);
  bool observed() const;
  /// Shows the pins at an edge; `half`: half of the period.
  void show(Tick edge, Tick half) const;
  /// Shows at an edge that is not evaluated that no channel has a beat.
  void show_idle(Tick edge) const;

 private:
  struct Shown {
    Shown(std::string its_name, std::string its_about, PinBytes its_pin, unsigned its_bits);

    std::string name, about;
    PinBytes pin;
    unsigned bits;
    bool is_clock, is_valid;
    SignalProbe probe;
    WideProbe wide;
  };
  std::deque<Shown> pins_;
};

}  // namespace tributary
