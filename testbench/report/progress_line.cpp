#include "testbench/report/progress_line.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "modules/base/text_format.h"

namespace tributary {
double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::string progress_text(std::size_t index, std::size_t messages, double share, double simulated_us, double hops_per_s,
                          double elapsed_s) {
  std::string text = fixed(100 * share, 0) + "%  message " + std::to_string(index + 1) + "/" + std::to_string(messages) +
                     "  " + fixed(simulated_us, 1) + " us simulated  " + fixed(hops_per_s * 1e-6, 1) + " M packet-hops/s";
  if (share > 0 && share < 1) text += "  " + fixed(elapsed_s * (1 - share) / share, 0) + " s left";
  return text;
}

std::vector<double> shares_before(const std::vector<double>& sizes) {
  std::vector<double> before{0};
  for (const double size : sizes) before.push_back(before.back() + std::max(size, 65536.0));
  const double all = before.back();
  if (all > 0)
    for (double& share : before) share /= all;
  return before;
}

ProgressLine::ProgressLine(bool enabled, const std::vector<double>& sizes)
    : enabled_(enabled && isatty(STDERR_FILENO) == 1), done_before_(shares_before(sizes)), start_s_(now_s()) {}

void ProgressLine::update(double share, double simulated_us, double hops_per_s) {
  if (!enabled_) return;
  const double now = now_s();
  if (now - last_s_ < 0.1) return;  // ten updates per second are sufficient for a reader
  last_s_ = now;
  const double first = done_before_.at(index_), of_run = first + share * (done_before_.at(index_ + 1) - first);
  const std::string text = progress_text(index_, done_before_.size() - 1, of_run, simulated_us, hops_per_s, now - start_s_);
  std::fprintf(stderr, "\r\033[K%s", text.c_str());
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::clear() {
  if (!shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace tributary
