#pragma once
/// Input of fluid mode: activities that move bytes over links at max-min fair rates, and the order between them
/// (docs/fluid.md).

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace tributary::collective {

/// Load of an activity on one directed link, or on a class of links that share evenly.
struct FluidUse {
  std::uint32_t link = 0;
  double weight = 0;  ///< bytes on the link for each payload byte
};

inline constexpr double no_cap = std::numeric_limits<double>::infinity();
inline constexpr std::uint32_t no_lane = ~std::uint32_t{0};

/// A transfer, or a point in time. `multiplicity` > 1: a class of that many equal activities, each of `bytes`, at one rate.
struct Activity {
  double bytes = 0;                 ///< payload; 0: a point in time
  std::vector<FluidUse> uses = {};  ///< each link at most once
  double cap = no_cap;              ///< maximum rate, payload bytes per second
  double latency = 0;               ///< ps from the last byte sent to its arrival
  double multiplicity = 1;
  std::uint32_t lane =
      no_lane;  ///< activities of one lane are sent one after another, in the order in which they become ready
};

/// Moment of an earlier activity that a later one waits for.
enum class Moment : std::uint8_t { sent, arrived };

/// Kind of a delay between activities: a number below `delay_kinds` that a family chooses.
using DelayKind = std::uint8_t;
inline constexpr DelayKind delay_kinds = 8;

class ActivityGraph {
 public:
  using Id = std::uint32_t;

  /// Adds a link of `rate` bytes per second. `multiplicity` > 1: a class of that many equal links, among which activities
  /// share evenly. Throws std::invalid_argument on a rate or multiplicity that is not above 0.
  std::uint32_t add_link(double rate, double multiplicity = 1);
  /// Adds an activity. Throws std::invalid_argument (one line) on an unknown or repeated link, a negative number, and bytes
  /// without a link or cap.
  Id add(const Activity& activity);
  /// Adds a point in time.
  Id add_point() { return add(Activity{}); }
  /// Lets `later` start no earlier than `delay` ps after that moment of `earlier`. Throws std::invalid_argument on an
  /// unknown activity and on a negative delay. `kind` has no effect on times.
  void after(Id later, Id earlier, Moment moment, double delay = 0, DelayKind kind = 0);
  /// Sets the earliest start of an activity, ps.
  void not_before(Id activity, double when);
  void reserve(std::size_t activities, std::size_t uses, std::size_t waits);

  std::size_t size() const { return bytes_.size(); }
  std::size_t links() const { return rate_.size(); }
  double link_rate(std::uint32_t link) const { return rate_[link]; }
  double bytes(Id activity) const { return bytes_[activity]; }
  /// Returns the bytes that cross each link (for a class: each of its links) until all activities have ended.
  std::vector<double> link_bytes() const;

 private:
  friend class FluidRun;
  friend class LongestChain;
  struct Follower {
    Id later;
    Moment moment;
    DelayKind kind;
    double delay;
    std::uint32_t next;
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  std::vector<double> rate_, link_multiplicity_;
  // Indexed by activity.
  std::vector<double> bytes_, cap_, latency_, start_;
  std::vector<std::uint32_t> first_use_{0}, missing_, first_follower_, lane_;
  std::uint32_t lanes_ = 0;
  std::vector<FluidUse> uses_;  ///< weight of a class: sum over its members on one link
  std::vector<Follower> followers_;
};

}  // namespace tributary::collective
