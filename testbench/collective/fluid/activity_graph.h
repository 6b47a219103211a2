#pragma once
/// What the fluid engine runs: activities that move bytes over links at max-min fair rates, and what each waits for
/// (docs/fluid.md).

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace tributary::collective {

/// What an activity takes of one directed link (or of a group of links that share evenly).
struct FluidUse {
  std::uint32_t link = 0;
  double weight = 0;  ///< bytes on the link for each payload byte
};

inline constexpr double no_cap = std::numeric_limits<double>::infinity();
inline constexpr std::uint32_t no_lane = ~std::uint32_t{0};

/// `multiplicity` > 1: a class of so many equal activities, each of `bytes`, at one rate.
struct Activity {
  double bytes = 0;                 ///< payload; 0: a point in time
  std::vector<FluidUse> uses = {};  ///< each link at most once
  double cap = no_cap;              ///< of its rate, payload bytes per second
  double latency = 0;               ///< ps, from its last byte sent to its arrival
  double multiplicity = 1;
  std::uint32_t lane = no_lane;  ///< activities of a lane are sent one after another, in the order in which they may start
};

/// What of an earlier activity another waits for.
enum class Moment : std::uint8_t { sent, arrived };

class ActivityGraph {
 public:
  using Id = std::uint32_t;

  /// Bytes per second. `multiplicity` > 1: a class of so many equal links, among which activities share evenly. Throws
  /// std::invalid_argument on a rate or multiplicity that is not above 0.
  std::uint32_t add_link(double rate, double multiplicity = 1);
  /// Throws std::invalid_argument, one line: a link that is not there or is named twice, a negative number, bytes that
  /// nothing limits.
  Id add(const Activity& activity);
  /// A point in time.
  Id add_point() { return add(Activity{}); }
  /// `later` does not start before that moment of `earlier`, and `delay` ps after it. Throws std::invalid_argument on an
  /// activity that is not there and on a negative delay.
  void after(Id later, Id earlier, Moment moment, double delay = 0);
  /// Not before `when`, ps.
  void not_before(Id activity, double when);
  void reserve(std::size_t activities, std::size_t uses, std::size_t waits);

  std::size_t size() const { return bytes_.size(); }
  std::size_t links() const { return rate_.size(); }
  double link_rate(std::uint32_t link) const { return rate_[link]; }
  /// Bytes that cross each link (of a class: each of its links) when all activities end.
  std::vector<double> link_bytes() const;

 private:
  friend class FluidRun;
  struct Follower {
    Id later;
    Moment moment;
    double delay;
    std::uint32_t next;
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  std::vector<double> rate_, link_multiplicity_;
  // of each activity
  std::vector<double> bytes_, cap_, latency_, start_;
  std::vector<std::uint32_t> first_use_{0}, missing_, first_follower_, lane_;
  std::uint32_t lanes_ = 0;
  std::vector<FluidUse> uses_;  ///< weights of a class are those of all its members on one link
  std::vector<Follower> followers_;
};

}  // namespace tributary::collective
