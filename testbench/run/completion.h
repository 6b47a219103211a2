#pragma once
/// Collects what the GPUs or NICs report: when each rank of each job was done, or why it failed.

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "modules/gpu/gpu.h"
#include "modules/nic/core/nic_core.h"

namespace tributary {

class Completion : public GpuHost, public NicHost {
 public:
  /// One job of so many ranks, whichever GPUs they are.
  void expect(std::size_t ranks) { begin({{ranks, 0}}, {}); }
  /// GPUs by job; no GPU has two jobs.
  void expect(const std::vector<std::vector<int>>& gpus) {
    std::vector<Job> jobs;
    std::map<unsigned, std::size_t> job_of;
    for (const std::vector<int>& of_job : gpus) {
      for (const int gpu : of_job) job_of[static_cast<unsigned>(gpu)] = jobs.size();
      jobs.push_back({of_job.size(), 0});
    }
    begin(std::move(jobs), std::move(job_of));
  }
  /// Called once, when no rank is missing any more, with last().
  void at_end(std::function<void(Tick last)> call) { at_end_ = std::move(call); }

  bool all_done() const { return missing_ == 0; }
  bool done(std::size_t job) const { return jobs_.at(job).missing == 0; }
  std::size_t missing() const { return missing_; }
  /// When the last byte of the result was visible in the last rank's memory: of all jobs, or of one.
  Tick last() const { return last_; }
  Tick last(std::size_t job) const { return jobs_.at(job).last; }
  const std::string& error() const { return error_; }

  void operation_done(unsigned gpu, Tick when) override {
    Job& job = jobs_.at(job_of_.empty() ? 0 : job_of_.at(gpu));
    --job.missing;
    job.last = std::max(job.last, when);
    last_ = std::max(last_, when);
    if (--missing_ == 0 && at_end_) at_end_(last_);
  }
  /// The first report counts.
  void operation_failed(unsigned gpu, Tick when, const std::string& error) override {
    if (!error_.empty() && std::pair(failed_at_, failed_gpu_) <= std::pair(when, gpu)) return;
    failed_at_ = when, failed_gpu_ = gpu;
    error_ = "gpu" + std::to_string(gpu) + " reports at " + to_string(picoseconds(when)) + ": " + error;
  }

 private:
  struct Job {
    std::size_t missing;
    Tick last;
  };
  void begin(std::vector<Job> jobs, std::map<unsigned, std::size_t> job_of) {
    jobs_ = std::move(jobs), job_of_ = std::move(job_of);
    missing_ = 0, last_ = 0;
    for (const Job& job : jobs_) missing_ += job.missing;
    error_.clear();
  }

  std::vector<Job> jobs_;
  std::map<unsigned, std::size_t> job_of_;  // by GPU; empty: one job
  std::size_t missing_ = 0;
  Tick last_ = 0;
  std::string error_;  // the first one: of `failed_gpu_`, at `failed_at_`
  Tick failed_at_ = 0;
  unsigned failed_gpu_ = 0;
  std::function<void(Tick)> at_end_;
};

}  // namespace tributary
