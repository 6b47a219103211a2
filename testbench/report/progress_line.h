#pragma once
/// ProgressLine: the progress of a run on the terminal.

#include <cstddef>
#include <string>
#include <vector>

namespace tributary {

/// Returns the time of a steady clock, in seconds.
double now_s();

/// One line on a terminal's standard error that is overwritten: completed fraction of the run, simulated time of the
/// message, packet-hops per second, remaining time. Silent if standard error is not a terminal.
class ProgressLine {
 public:
  /// `enabled`: false suppresses the line. `sizes`: message sizes in bytes; a message's expected time is proportional
  /// to its size, but at least that of 64 KiB.
  ProgressLine(bool enabled, const std::vector<double>& sizes);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Message `index` (from 0) begins.
  void begin(std::size_t index) { index_ = index; }
  /// Sets the completed fraction `share` of this message.
  void update(double share, double simulated_us, double hops_per_s);
  void clear();

 private:
  bool enabled_;
  bool shown_ = false;
  std::vector<double> done_before_;  ///< fraction of the run before each message, plus one entry for the end
  std::size_t index_ = 0;
  double last_s_ = -1;  ///< wall clock of the last update
  double start_s_;      ///< wall clock at the start of the run
};

/// Returns the fraction of the run that is complete before each message of the given sizes in bytes, plus one entry for
/// the end.
std::vector<double> shares_before(const std::vector<double>& sizes);

/// Returns `42%  message 3/8  118.2 us simulated  9.8 M packet-hops/s  4 s left`; percentage and remaining time are of
/// the run.
std::string progress_text(std::size_t index, std::size_t messages, double share, double simulated_us, double hops_per_s,
                          double elapsed_s);

}  // namespace tributary
