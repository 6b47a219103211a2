#include "testbench/report/time_used.h"

#include <sys/resource.h>

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
  return text + ", " + fixed(static_cast<double>(use.peak_rss_bytes) / 0x1p20, 0) + " MiB\n";
}

}  // namespace tributary
