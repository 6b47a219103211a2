#pragma once
/// BeatChannel: pins of a channel of a block in RTL, and the beats that have passed or will pass.

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/pin_table.h"
#include "modules/rtl/core/beat_layout.h"
#include "modules/rtl/core/rtl_model.h"

namespace tributary {

class BeatChannel : public BeatLayout {
 public:
  /// Throws std::invalid_argument if the model lacks a pin, or has another width.
  BeatChannel(const std::string& name, const PinTable& table, const PinChannel& channel, const PinParameters& parameters,
              const PinSet& pins);

  // Pins, for the edges.
  bool valid() const { return valid_.data[0] != 0; }
  /// True without a pin `ready`.
  bool ready() const { return !ready_ || ready_.data[0] != 0; }
  bool last() const { return !last_ || last_.data[0] != 0; }
  void drive_ready(bool high) const;
  void drive(const RtlBeat* beat) const;
  bool equals(const RtlBeat& beat) const;
  RtlBeat read(std::uint64_t edge) const;

 private:
  PinBytes valid_, ready_, last_;
  std::vector<PinBytes> pins_;  // by field
};

}  // namespace tributary
