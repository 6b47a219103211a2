#include "testbench/run/blocks/measured_times.h"

namespace tributary {

std::string MeasuredTimes::time(std::int64_t t) const {
  const std::string text = std::to_string(t) + " ps";
  const auto clock = static_cast<std::int64_t>(clock_);
  if (clock == 0 || t % clock != 0) return text;
  return text + " (" + std::to_string(t / clock) + (t == clock || t == -clock ? " clock)" : " clocks)");
}

std::string MeasuredTimes::one(const Histogram& all) const {
  if (all.empty()) return "none";
  if (all.size() == 1) return time(all.begin()->first);
  return time(all.begin()->first) + " to " + time(all.rbegin()->first);
}

std::string MeasuredTimes::text() const {
  return "beyond the nominal times: interval " + one(intervals_) + "; latency " + one(latencies_);
}

std::string MeasuredTimes::rows(const char* kind, const Histogram& all) const {
  if (all.size() < 2) return "";
  std::string text;
  unsigned row = 0;
  for (const auto& [t, count] : all) {
    if (row++ == most_rows)
      return text + "  " + std::to_string(all.size() - most_rows) + " further values (--csv FILE has all)\n";
    text += std::string("  ") + kind + " " + time(t) + ": " + std::to_string(count) + "\n";
  }
  return text;
}

std::string MeasuredTimes::table() const { return rows("interval", intervals_) + rows("latency", latencies_); }

std::string MeasuredTimes::csv() const {
  std::string text = "kind,time_ps,count\n";
  for (const auto& [t, count] : intervals_) text += "interval," + std::to_string(t) + "," + std::to_string(count) + "\n";
  for (const auto& [t, count] : latencies_) text += "latency," + std::to_string(t) + "," + std::to_string(count) + "\n";
  return text;
}

}  // namespace tributary
