#include "testbench/report/time_used.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>

#include "modules/base/text_format.h"

namespace tributary {
namespace {

double wall_clock_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double seconds(const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); }

double processor_s() {
  double all = 0;
  for (const int whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    if (getrusage(whose, &used) == 0) all += seconds(used.ru_utime) + seconds(used.ru_stime);
  }
  return all;
}

/// Returns a line for each lane, and one for each gain over the same work on one thread.
std::string lane_lines(const KernelUse& use) {
  std::string text;
  double all = 0, most = 0;
  for (std::size_t i = 0; i < use.lanes.size(); ++i) {
    const KernelUse::LaneUse& lane = use.lanes[i];
    all += lane.run_s + lane.drain_s;
    most = std::max(most, lane.run_s + lane.drain_s);
    text += "# lane " + std::to_string(i) + ": " + fixed(lane.run_s, 3) + " s of devices, " + fixed(lane.drain_s, 3) +
            " s of arrivals from other lanes, " + std::to_string(lane.packets) + " packets to other lanes\n";
  }
  if (most <= 0 || use.lockstep_s <= 0) return text;
  const auto gain = [all](const std::string& of, double seconds) {
    return "# " + of + ": " + fixed(seconds, 3) + " s, a gain of " + fixed(all / seconds, 2) + "\n";
  };
  text += "# lanes: " + std::to_string(use.steps) + " steps, " + std::to_string(use.steps_alone) + " of one lane alone\n";
  text += gain("busiest lane", most);
  if (use.apart_s > 0) text += gain("a processor for each lane", use.apart_s);
  return text + gain("lanes in lockstep", use.lockstep_s);
}

}  // namespace

TimeUsed::TimeUsed() : wall_start_s_(wall_clock_s()), cpu_start_s_(processor_s()) {}
double TimeUsed::wall_s() const { return wall_clock_s() - wall_start_s_; }
double TimeUsed::cpu_s() const { return processor_s() - cpu_start_s_; }

std::string TimeUsed::line() const {
  return "# took " + fixed(wall_s(), 2) + " s, " + fixed(cpu_s(), 2) + " s of processor time\n";
}

std::string TimeUsed::line(const KernelUse& use) const {
  std::string text = line();
  text.pop_back();
  if (use.cpu_s > 0 && use.packet_hops > 0)
    text += ", " + fixed(static_cast<double>(use.packet_hops) / use.cpu_s * 1e-6, 1) + " M packet-hops/s";
  return text + ", " + fixed(static_cast<double>(use.peak_rss_bytes) / 0x1p20, 0) + " MiB\n" + lane_lines(use);
}

}  // namespace tributary
