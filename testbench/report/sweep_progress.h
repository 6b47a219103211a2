#pragma once

#include <cstddef>
#include <string>

namespace tributary {

struct SweepCount {
  std::size_t points = 0;  ///< of the sweep
  std::size_t kept = 0;    ///< finished before
  std::size_t done = 0;    ///< finished now
  std::size_t failed = 0;  ///< ended now without results
  std::size_t running = 0;
  std::size_t wrong = 0;  ///< of those finished: with wrong elements
  std::size_t stuck = 0;  ///< of those finished: stuck or at the time limit
};

/// `sweep 12/40 points, 2 running, 1 wrong, 1 stuck, 1 failed, 35 s left`; the time left is judged from the points that this
/// call has run.
std::string sweep_progress_text(const SweepCount& count, double elapsed_s);

/// One line on a terminal's standard error that is written over. Silent when standard error is no terminal.
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
