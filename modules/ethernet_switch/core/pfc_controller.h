#pragma once
/// PfcController: decides which inputs of a switch are paused (priority flow control, IEEE 802.1Qbb).

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/units.h"
#include "modules/ethernet_switch/core/shared_buffer.h"

namespace tributary {

/// Path of an input that determines how much can still arrive after the frame for which it is paused.
struct PfcPath {
  Bandwidth rate;
  Tick link_latency = 0;
  Tick reaction = 0;           ///< reaction time of the other end
  Tick switch_latency = 0;     ///< time of a frame in the switch before it is counted
  unsigned largest_frame = 0;  ///< bytes on the wire
  bool cut_through = true;
};
/// Returns the headroom in bytes: contents of the wires, of the switch and of the reaction time at that rate, the pause
/// frame, the frame that delays it, the frame that has just begun at the other end, and the frame that has crossed the
/// threshold. If frames are stored, one more, which is counted at its end.
std::uint64_t pfc_headroom(const PfcPath& path);

/// An (input, class) is paused when it has filled its share of the buffer. It resumes at a departure of one of its frames
/// that leaves it `resume` bytes below its threshold, or empty. A pause lasts `quanta`; it is sent again after half of that
/// time.
class PfcController {
 public:
  enum class State : std::uint8_t { normal, paused, headroom };
  static constexpr unsigned longest = 0xFFFF;  ///< in quanta
  struct Config {
    unsigned quanta = longest;
    std::vector<Tick> quantum{};  ///< by port: duration of a quantum, 512 bit times
  };

  PfcController(const Config& config, const SharedBuffer& buffer);

  unsigned quanta() const { return quanta_; }
  /// True if an input is paused.
  bool active() const { return !paused_.empty(); }
  bool paused(unsigned input, unsigned traffic_class) const { return state_[index(input, traffic_class)] != 0; }
  State state(unsigned input, unsigned traffic_class) const {
    if (!paused(input, traffic_class)) return State::normal;
    return buffer_.headroom(input, traffic_class) != 0 ? State::headroom : State::paused;
  }
  /// A frame of a lossless class has entered the buffer, or has been refused. Returns true if a pause has to be sent.
  bool arrived(unsigned input, unsigned traffic_class, bool refused, Tick now);
  /// A frame has left the buffer. Returns true if the input has to be resumed.
  bool departed(unsigned input, unsigned traffic_class);

  /// Returns the time at which a pause has to be sent again; `never` if no input is paused.
  Tick next() const { return next_; }
  /// Calls `send(input, class)` for each pause that is due at `now`.
  template <class Send>
  void refresh(Tick now, Send&& send) {
    for (Paused& p : paused_)
      if (p.refresh <= now) {
        p.refresh = now + interval_[p.input];
        send(p.input, p.traffic_class);
      }
    find_next();
  }
  std::vector<std::string> waiting() const;
  void reset();

 private:
  struct Paused {
    Tick refresh;
    std::uint8_t input, traffic_class;
  };
  static std::size_t index(unsigned port, unsigned traffic_class) {
    return std::size_t{port} * SharedBuffer::classes + traffic_class;
  }
  void find_next();

  const SharedBuffer& buffer_;
  unsigned quanta_;
  std::vector<Tick> interval_;       // by port
  std::vector<std::uint8_t> state_;  // by input and class: 1 while paused
  std::vector<Paused> paused_;       // in order of their pauses
  Tick next_ = never;
};

}  // namespace tributary
