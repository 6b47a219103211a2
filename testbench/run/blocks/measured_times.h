#pragma once
/// MeasuredTimes: intervals and latencies of a block over a record.

#include <cstdint>
#include <map>
#include <string>

#include "modules/base/units.h"

namespace tributary {

class MeasuredTimes {
 public:
  explicit MeasuredTimes(Tick clock) : clock_(clock) {}

  /// Times relative to the nominal ones, ps.
  void add(std::int64_t interval, std::int64_t latency) {
    ++intervals_[interval];
    ++latencies_[latency];
  }
  /// Returns `beyond the nominal times: interval 0 ps; latency 34129 ps, 11 clocks`, or least and largest values.
  std::string text() const;
  /// Returns a histogram for the screen, of at most `most_rows` rows; empty if the times are constant.
  std::string table() const;
  static constexpr unsigned most_rows = 12;
  /// Returns the histogram: `kind,time_ps,count`, a line for each time.
  std::string csv() const;

 private:
  using Histogram = std::map<std::int64_t, std::uint64_t>;
  std::string one(const Histogram& all) const;
  std::string time(std::int64_t t) const;
  std::string rows(const char* kind, const Histogram& all) const;

  Tick clock_;
  Histogram intervals_, latencies_;
};

}  // namespace tributary
