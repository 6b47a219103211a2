#include "modules/timing/lane_times.h"

#include <time.h>

#include <algorithm>

namespace tributary {

std::uint64_t LaneMeter::thread_cpu_ns() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}

void LaneMeter::add(std::uint64_t LaneTimes::Of::*into, Tick when, std::uint64_t ns) {
  times.*into += ns;
  clock += ns;
  if (!pieces.empty() && pieces.back().when == when)
    pieces.back().ns += ns;
  else
    pieces.push_back({when, ns});
}

std::uint64_t slowest_of_each_time(const std::vector<LaneMeter*>& lanes) {
  std::vector<LaneMeter::Piece> all;  // by time, the slowest lane first
  for (LaneMeter* lane : lanes) {
    all.insert(all.end(), lane->pieces.begin(), lane->pieces.end());
    lane->pieces.clear();
  }
  std::sort(all.begin(), all.end(), [](const LaneMeter::Piece& a, const LaneMeter::Piece& b) {
    return std::pair(a.when, b.ns) < std::pair(b.when, a.ns);
  });
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (i == 0 || all[i].when != all[i - 1].when) sum += all[i].ns;
  return sum;
}

}  // namespace tributary
