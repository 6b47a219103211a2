#pragma once
/// SweepProgress: the progress of a sweep on the terminal.

#include <cstddef>
#include <string>

namespace tributary {

struct SweepCount {
  std::size_t points = 0;  ///< points of the sweep
  std::size_t kept = 0;    ///< finished in earlier runs
  std::size_t done = 0;    ///< finished in this run
  std::size_t failed = 0;  ///< ended without results in this run
  std::size_t running = 0;
  std::size_t wrong = 0;  ///< finished points with wrong elements
  std::size_t stuck = 0;  ///< finished points that are stuck or reached the time limit
};

/// Returns `sweep 12/40 points, 2 running, 1 wrong, 1 stuck, 1 failed, 35 s left`; the remaining time is estimated from
/// the points of this run.
std::string sweep_progress_text(const SweepCount& count, double elapsed_s);

/// One line on a terminal's standard error that is overwritten. Silent if standard error is not a terminal.
class SweepProgress {
 public:
  explicit SweepProgress(bool enabled);
  ~SweepProgress() { clear(); }
  SweepProgress(const SweepProgress&) = delete;
  SweepProgress& operator=(const SweepProgress&) = delete;

  void update(const SweepCount& count);
  void clear();

 private:
  bool enabled_;
  bool shown_ = false;
  double start_s_;
  double last_s_ = -1;
};

}  // namespace tributary
