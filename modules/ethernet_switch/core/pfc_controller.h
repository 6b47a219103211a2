#pragma once
/// PfcController: which inputs of a switch are paused (priority flow control, IEEE 802.1Qbb).

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/units.h"
#include "modules/ethernet_switch/core/shared_buffer.h"

namespace tributary {

/// What may still come in at an input after the frame for which it is paused.
struct PfcPath {
  Bandwidth rate;
  Tick link_latency = 0;
  Tick reaction = 0;           ///< of the other end
  Tick switch_latency = 0;     ///< frames lie there before they are counted
  unsigned largest_frame = 0;  ///< on the wire
  bool cut_through = true;
};
/// Headroom in bytes: what the wires, the switch and the reaction hold at that rate, the pause frame, the frame that it
/// waits for, the frame that has just begun at the other end, and the one that has crossed the threshold; where frames are
/// stored, one more, which is counted at its end.
std::uint64_t pfc_headroom(const PfcPath& path);

/// An (input, class) is paused once it has filled its share of the buffer, and goes on at a departure of its own that leaves
/// it `resume` below its threshold, or with nothing. A pause lasts `quanta`; it is sent again when half of them have passed.
class PfcController {
 public:
  enum class State : std::uint8_t { normal, paused, headroom };
  static constexpr unsigned longest = 0xFFFF;  ///< quanta
  struct Config {
    unsigned quanta = longest;
    std::vector<Tick> quantum{};  ///< by port: of a pause, 512 bit times
  };

  PfcController(const Config& config, const SharedBuffer& buffer);

  unsigned quanta() const { return quanta_; }
  /// Some input is paused.
  bool active() const { return !paused_.empty(); }
  bool paused(unsigned input, unsigned traffic_class) const { return state_[index(input, traffic_class)] != 0; }
  State state(unsigned input, unsigned traffic_class) const {
    if (!paused(input, traffic_class)) return State::normal;
    return buffer_.headroom(input, traffic_class) != 0 ? State::headroom : State::paused;
  }
  /// A frame of a lossless class has been put into the buffer, or has found no room: whether a pause has to be sent.
  bool arrived(unsigned input, unsigned traffic_class, bool refused, Tick now);
  /// A frame has left the buffer: whether the input is told to go on.
  bool departed(unsigned input, unsigned traffic_class);

  /// When a pause has to be sent again, `never` while none holds.
  Tick next() const { return next_; }
  /// Those that are due at `now`: `send(input, class)`.
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
  std::vector<Paused> paused_;       // in the order in which they were
  Tick next_ = never;
};

}  // namespace tributary
