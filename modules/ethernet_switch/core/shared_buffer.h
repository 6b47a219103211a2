#pragma once
/// SharedBuffer: the memory of a switch, which the frames of all its ports share.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "modules/protocol/roce.h"

namespace tributary {

/// Counts bytes of frames, FCS included. A queue (output, class) may hold `alpha` times what is free (Choudhury and Hahne,
/// 1998). Lossless classes are counted by their inputs instead, as in the HPCC authors' ns-3 (SwitchMmu): each
/// (input, class) has a reserve, then `pfc_alpha` times what is free, and then, for what still comes after a pause, its
/// headroom. What is free: all but reserves, headrooms, and what is held beyond them.
class SharedBuffer {
 public:
  static constexpr unsigned classes = EthernetLink::vcs;
  struct Config {
    unsigned ports = 0;
    std::uint64_t bytes = 0;
    double alpha = 1;
    unsigned lossless = 0;  ///< classes, a bit each
    double pfc_alpha = 0.125;
    std::uint64_t reserve = 0;              ///< of each input and lossless class
    std::uint64_t resume = 0;               ///< an input goes on when it is so far below its threshold
    std::vector<std::uint64_t> headroom{};  ///< by input, of each lossless class; none: 0
  };
  enum class Place : std::uint8_t { shared, headroom, none };

  /// Throws std::invalid_argument when reserves and headrooms leave nothing to share.
  explicit SharedBuffer(const Config& config);

  bool lossless(unsigned traffic_class) const { return (lossless_ >> traffic_class & 1u) != 0; }
  /// Where a frame would go; `none`: there is no room for it.
  Place place(unsigned input, unsigned output, unsigned traffic_class, unsigned bytes) const {
    if (lossless(traffic_class)) return place_lossless(input, traffic_class, bytes);
    const std::uint64_t room = free();
    return bytes <= room && queue(output, traffic_class) + bytes <= share(alpha_, room) ? Place::shared : Place::none;
  }
  /// Room is shared and the input needs no pause. Once true, it is true whatever else has left.
  bool undisturbed(unsigned input, unsigned output, unsigned traffic_class, unsigned bytes) const;
  void put(unsigned input, unsigned output, unsigned traffic_class, unsigned bytes, Place place);
  void take(unsigned input, unsigned output, unsigned traffic_class, unsigned bytes);

  /// Frames of (input, lossless class) are here.
  bool holds(unsigned input, unsigned traffic_class) const {
    const Input& in = inputs_[index(input, traffic_class)];
    return in.held + in.headroom != 0;
  }
  /// A lossless input has filled its share: it has to be paused.
  bool pauses(unsigned input, unsigned traffic_class) const {
    const Input& in = inputs_[index(input, traffic_class)];
    const std::uint64_t beyond = beyond_reserve(in.held);
    return in.headroom != 0 || (beyond != 0 && beyond >= share(pfc_alpha_, free()));
  }
  /// A paused input may go on.
  bool resumes(unsigned input, unsigned traffic_class) const {
    const Input& in = inputs_[index(input, traffic_class)];
    const std::uint64_t beyond = beyond_reserve(in.held);
    return in.headroom == 0 && (beyond == 0 || beyond + resume_ <= share(pfc_alpha_, free()));
  }

  std::uint64_t used() const { return used_; }
  std::uint64_t free() const { return shared_ - shared_used_; }
  /// Bytes of (output, class).
  std::uint64_t queue(unsigned output, unsigned traffic_class) const { return queues_[index(output, traffic_class)]; }
  /// Bytes of (input, lossless class) in its headroom.
  std::uint64_t headroom(unsigned input, unsigned traffic_class) const {
    return inputs_[index(input, traffic_class)].headroom;
  }
  void reset();

 private:
  struct Input {
    std::uint64_t held = 0, headroom = 0;  // in reserve and shared part; in headroom
  };
  static constexpr unsigned fraction_bits = 10;  // of alphas
  static std::uint64_t fixed(double alpha) { return static_cast<std::uint64_t>(alpha * (1u << fraction_bits) + 0.5); }
  static std::uint64_t share(std::uint64_t alpha, std::uint64_t room) { return alpha * room >> fraction_bits; }
  static std::size_t index(unsigned port, unsigned traffic_class) { return std::size_t{port} * classes + traffic_class; }
  std::uint64_t beyond_reserve(std::uint64_t held) const { return held - std::min(held, reserve_); }
  Place place_lossless(unsigned input, unsigned traffic_class, unsigned bytes) const;

  unsigned lossless_;
  std::uint64_t alpha_, pfc_alpha_, reserve_, resume_;
  std::vector<std::uint64_t> headroom_;
  std::uint64_t shared_;  // what reserves and headrooms leave
  std::uint64_t used_ = 0, shared_used_ = 0;
  std::vector<std::uint64_t> queues_;  // by output and class
  std::vector<Input> inputs_;          // by input and class
};

}  // namespace tributary
