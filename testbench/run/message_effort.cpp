#include "testbench/run/message_effort.h"

#include <algorithm>

#include "modules/base/readable.h"
#include "modules/base/text_format.h"

namespace tributary {
namespace {

constexpr double first_part = 4e7;  ///< packet-hops that show the pace: about 10 s

std::string duration(double seconds) {
  if (seconds < 120) return fixed(seconds, 0) + " s";
  return seconds < 7200 ? fixed(seconds / 60, 0) + " min" : fixed(seconds / 3600, 1) + " h";
}

}  // namespace

std::optional<double> expected_hops(const MessagePart& part) {
  if (part.elapsed == 0 || part.whole <= 0) return std::nullopt;
  return static_cast<double>(part.hops) / std::min(1.0, static_cast<double>(part.elapsed) / part.whole);
}

std::string beyond_patience(const MessagePart& part, Time patience, bool flows) {
  const double most = static_cast<double>(patience.value) * 1e-12;
  if (static_cast<double>(part.hops) < std::min(first_part, most * hops_per_second / 2)) return "";
  const std::optional<double> hops = expected_hops(part);
  if (!hops) return "";
  const double needed = *hops / hops_per_second;
  if (needed <= most) return "";
  return "at least " + fixed(*hops * 1e-9, 1) + " x 10^9 packet-hops, about " + duration(needed) +
         " of processor time; watchdog.patience is " + duration(most) + " (legal: " + (flows ? "--mode fluid, " : "") +
         "a smaller message, or more watchdog.patience)";
}

}  // namespace tributary
