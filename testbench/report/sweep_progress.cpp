#include "testbench/report/sweep_progress.h"

#include <unistd.h>

#include <cstdio>

#include "modules/base/text_format.h"
#include "testbench/report/progress_line.h"

namespace tributary {
std::string sweep_progress_text(const SweepCount& count, double elapsed_s) {
  const std::size_t ended = count.kept + count.done + count.failed, now = count.done + count.failed;
  std::string text = "sweep " + std::to_string(ended) + "/" + std::to_string(count.points) + " points, " +
                     std::to_string(count.running) + " running";
  if (count.wrong > 0) text += ", " + std::to_string(count.wrong) + " wrong";
  if (count.stuck > 0) text += ", " + std::to_string(count.stuck) + " stuck";
  if (count.failed > 0) text += ", " + std::to_string(count.failed) + " failed";
  if (now > 0 && ended < count.points)
    text += ", " + fixed(elapsed_s * static_cast<double>(count.points - ended) / static_cast<double>(now), 0) + " s left";
  return text;
}

SweepProgress::SweepProgress(bool enabled) : enabled_(enabled && isatty(STDERR_FILENO) == 1), start_s_(now_s()) {}

void SweepProgress::update(const SweepCount& count) {
  const double now = now_s();
  if (!enabled_ || now - last_s_ < 0.2) return;
  last_s_ = now;
  std::fprintf(stderr, "\r\033[K%s", sweep_progress_text(count, now - start_s_).c_str());
  std::fflush(stderr);
  shown_ = true;
}

void SweepProgress::clear() {
  if (!shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  shown_ = false;
  last_s_ = -1;
}

}  // namespace tributary
