#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tributary {

/// One line on a terminal's standard error that is written over: share of the whole run done, simulated time of the message,
/// packet-hops per second, time left of the run. Silent when standard error is no terminal.
class ProgressLine {
 public:
  /// `enabled` false: silent whatever standard error is. `sizes`: of the messages, in bytes; a message is expected to take
  /// time in proportion, the smallest as long as 64 KiB do.
  ProgressLine(bool enabled, const std::vector<double>& sizes);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Message `index` (from 0) begins.
  void begin(std::size_t index) { index_ = index; }
  /// `share` of this message is done.
  void update(double share, double simulated_us, double hops_per_s);
  void clear();

 private:
  bool enabled_;
  bool shown_ = false;
  std::vector<double> done_before_;  ///< share of the run, by message; one more for the end
  std::size_t index_ = 0;
  double last_s_ = -1;  ///< wall clock when the line was last written
  double start_s_;      ///< wall clock when the run began
};

/// Share of the run that is done before each message of these sizes, in bytes; one more for the end.
std::vector<double> shares_before(const std::vector<double>& sizes);

/// `42%  message 3/8  118.2 us simulated  9.8 M packet-hops/s  4 s left`; share and time left are those of the run.
std::string progress_text(std::size_t index, std::size_t messages, double share, double simulated_us, double hops_per_s,
                          double elapsed_s);

}  // namespace tributary
