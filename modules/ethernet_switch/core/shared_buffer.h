#pragma once
/// SharedBuffer: the buffer memory of a switch, shared by the frames of all ports.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "modules/protocol/roce.h"

namespace tributary {

/// Counts bytes of frames, including the FCS. A queue (output, class) may hold `alpha` times the free bytes (Choudhury and
/// Hahne, 1998). Lossless classes are counted by their inputs instead, as in the ns-3 of the authors of HPCC (SwitchMmu):
/// each (input, class) has a reserve, then `pfc_alpha` times the free bytes, and then its headroom for frames that still
/// arrive after a pause. Free bytes are all bytes except reserves, headrooms, and shared bytes in use.
class SharedBuffer {
 public:
  static constexpr unsigned classes = EthernetLink::vcs;
  struct Config {
    unsigned ports = 0;
    std::uint64_t bytes = 0;
    double alpha = 1;
    unsigned lossless = 0;  ///< bit mask of classes
    double pfc_alpha = 0.125;
    std::uint64_t reserve = 0;              ///< bytes for each input and lossless class
    std::uint64_t resume = 0;               ///< an input resumes when it is this many bytes below its threshold
    std::vector<std::uint64_t> headroom{};  ///< by input, bytes for each lossless class; empty: 0
  };
  enum class Place : std::uint8_t { shared, headroom, none };

  /// Throws std::invalid_argument if reserves and headrooms leave nothing to share.
  explicit SharedBuffer(const Config& config);

  bool lossless(unsigned traffic_class) const { return (lossless_ >> traffic_class & 1u) != 0; }
  /// Returns the region for a frame; `none` if there is no room.
  Place place(unsigned input, unsigned output, unsigned traffic_class, unsigned bytes) const {
    if (lossless(traffic_class)) return place_lossless(input, traffic_class, bytes);
    const std::uint64_t room = free();
    return bytes <= room && queue(output, traffic_class) + bytes <= share(alpha_, room) ? Place::shared : Place::none;
  }
  /// True if the frame fits in the shared region and its input needs no pause. Once true, departures keep it true.
  bool undisturbed(unsigned input, unsigned output, unsigned traffic_class, unsigned bytes) const;
  void put(unsigned input, unsigned output, unsigned traffic_class, unsigned bytes, Place place);
  void take(unsigned input, unsigned output, unsigned traffic_class, unsigned bytes);

  /// True if frames of (input, lossless class) are in the buffer.
  bool holds(unsigned input, unsigned traffic_class) const {
    const Input& in = inputs_[index(input, traffic_class)];
    return in.held + in.headroom != 0;
  }
  /// True if a lossless input has filled its share, so that it has to be paused.
  bool pauses(unsigned input, unsigned traffic_class) const {
    const Input& in = inputs_[index(input, traffic_class)];
    const std::uint64_t beyond = beyond_reserve(in.held);
    return in.headroom != 0 || (beyond != 0 && beyond >= share(pfc_alpha_, free()));
  }
  /// True if a paused input may resume.
  bool resumes(unsigned input, unsigned traffic_class) const {
    const Input& in = inputs_[index(input, traffic_class)];
    const std::uint64_t beyond = beyond_reserve(in.held);
    return in.headroom == 0 && (beyond == 0 || beyond + resume_ <= share(pfc_alpha_, free()));
  }

  std::uint64_t used() const { return used_; }
  std::uint64_t free() const { return shared_ - shared_used_; }
  /// Bytes of (output, class) in the buffer.
  std::uint64_t queue(unsigned output, unsigned traffic_class) const { return queues_[index(output, traffic_class)]; }
  /// Bytes of (input, lossless class) in its headroom.
  std::uint64_t headroom(unsigned input, unsigned traffic_class) const {
    return inputs_[index(input, traffic_class)].headroom;
  }
  void reset();

 private:
  struct Input {
    std::uint64_t held = 0, headroom = 0;  // bytes in reserve and shared region; in headroom
  };
  static constexpr unsigned fraction_bits = 10;  // for alpha and pfc_alpha
  static std::uint64_t fixed(double alpha) {
    return static_cast<std::uint64_t>(std::llround(alpha * (1u << fraction_bits)));
  }
  static std::uint64_t share(std::uint64_t alpha, std::uint64_t room) { return alpha * room >> fraction_bits; }
  static std::size_t index(unsigned port, unsigned traffic_class) { return std::size_t{port} * classes + traffic_class; }
  std::uint64_t beyond_reserve(std::uint64_t held) const { return held - std::min(held, reserve_); }
  Place place_lossless(unsigned input, unsigned traffic_class, unsigned bytes) const;

  unsigned lossless_;
  std::uint64_t alpha_, pfc_alpha_, reserve_, resume_;
  std::vector<std::uint64_t> headroom_;
  std::uint64_t shared_;  // bytes that reserves and headrooms leave
  std::uint64_t used_ = 0, shared_used_ = 0;
  std::vector<std::uint64_t> queues_;  // by output and class
  std::vector<Input> inputs_;          // by input and class
};

}  // namespace tributary
