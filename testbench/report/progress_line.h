#pragma once

#include <cstddef>
#include <string>

namespace tributary {

/// One line on a terminal's standard error that is written over: share of work done, simulated time, packet-hops per second,
/// time left. Silent when standard error is no terminal.
class ProgressLine {
 public:
  /// `enabled` false: silent whatever standard error is.
  ProgressLine(bool enabled, std::size_t messages);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Message `index` (from 0) begins.
  void begin(std::size_t index) { index_ = index; }
  void update(double share, double simulated_us, double hops_per_s);
  void clear();

 private:
  bool enabled_;
  bool shown_ = false;
  std::size_t messages_;
  std::size_t index_ = 0;
  double last_s_ = -1;   ///< wall clock when the line was last written
  double start_s_ = -1;  ///< wall clock at the first update of this message
  std::size_t started_ = 0;
};

/// `message 3/8   42%  118.2 us  9.8 M packet-hops/s  4 s left`; the time left is that of this message.
std::string progress_text(std::size_t index, std::size_t messages, double share, double simulated_us, double hops_per_s,
                          double elapsed_s);

}  // namespace tributary
