#pragma once
/// Collects what the GPUs report: when each rank was done, or why it failed.

#include <algorithm>
#include <string>

#include "modules/gpu/gpu.h"

namespace tributary {

class Completion : public GpuHost {
 public:
  void expect(std::size_t ranks) { missing_ = ranks, last_ = 0, error_.clear(); }
  bool all_done() const { return missing_ == 0; }
  std::size_t missing() const { return missing_; }
  /// When the last byte of the result was visible in the last rank's memory.
  Tick last() const { return last_; }
  const std::string& error() const { return error_; }

  void operation_done(unsigned, Tick when) override {
    --missing_;
    last_ = std::max(last_, when);
  }
  void operation_failed(unsigned gpu, Tick when, const std::string& error) override {
    error_ = "gpu" + std::to_string(gpu) + " reports at " + to_string(picoseconds(when)) + ": " + error;
  }

 private:
  std::size_t missing_ = 0;
  Tick last_ = 0;
  std::string error_;
};

}  // namespace tributary
