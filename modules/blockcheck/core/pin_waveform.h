#pragma once
/// PinWaveform: the edges of the pins of a block in RTL around the first difference of a shadow.

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "modules/base/units.h"

namespace tributary {

class ProbeDirectory;

/// Observes the probes `...rtl.PIN`. An edge that is evaluated again replaces those from its time on.
class PinWaveform {
 public:
  static constexpr std::size_t most_before = 64;  ///< edges up to the difference
  static constexpr std::size_t most_after = 64;

  PinWaveform() = default;
  PinWaveform(const PinWaveform&) = delete;
  PinWaveform& operator=(const PinWaveform&) = delete;

  /// Attaches to all pins of a directory. Their block shows them from its next reset on.
  void attach(const ProbeDirectory& probes);
  /// The latest edge belongs to the first difference: the edges before it are kept, and the next ones are the last.
  void difference_found();
  std::size_t edges() const { return edges_.size(); }

  /// Receives a change of a pin: name, width, time, and the bytes of its value, little-endian.
  using Change = std::function<void(const std::string& pin, unsigned bits, Tick time, const std::uint8_t* value)>;
  /// Calls `change` for the value of each pin at each edge, in order of time for each pin.
  void show(const Change& change) const;

 private:
  struct Pin {
    PinWaveform* all;
    std::string name;
    unsigned bits;
    std::size_t offset;  // in Edge::values
    bool is_clock, is_valid;
    std::size_t bytes() const { return (bits + 7) / 8; }
  };
  struct Edge {
    Tick rise = 0, fall = never;
    Tick idle = never;  // from this time on no channel has a beat
    std::vector<std::uint8_t> values;
  };

  void add(const std::string& name, unsigned bits);
  void set(const Pin& pin, Tick time, const std::uint8_t* value);
  void clock(Tick time, bool high);
  void begin(Tick rise);

  std::deque<Pin> pins_;
  std::size_t bytes_ = 0;  // all pins
  std::deque<Edge> edges_;
  bool found_ = false, ignores_ = false;
  Tick found_at_ = 0;
};

}  // namespace tributary
