#pragma once
/// Collects the reports of the endpoints: when each rank of each job was done, or why it failed.

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/text_format.h"
#include "modules/timing/completion_listener.h"

namespace tributary {

class Completion : public CompletionListener {
 public:
  /// Reports name endpoint 3 `device`3.
  explicit Completion(std::string device = "endpoint") : device_(std::move(device)) {}

  /// Expects one job of `ranks` ranks on any endpoints.
  void expect(std::size_t ranks) { begin({{ranks, 0}}, {}); }
  /// Expects these endpoints, by job; no endpoint has two jobs.
  void expect(const std::vector<std::vector<int>>& endpoints) {
    std::vector<Job> jobs;
    std::map<unsigned, std::size_t> job_of;
    for (const std::vector<int>& of_job : endpoints) {
      for (const int endpoint : of_job) job_of[static_cast<unsigned>(endpoint)] = jobs.size();
      jobs.push_back({of_job.size(), 0});
    }
    begin(std::move(jobs), std::move(job_of));
  }
  /// `call` is called once, when no rank is missing any more, with last().
  void at_end(std::function<void(Tick last)> call) { at_end_ = std::move(call); }

  bool all_done() const { return missing_ == 0; }
  bool done(std::size_t job) const { return jobs_.at(job).missing == 0; }
  std::size_t missing() const { return missing_; }
  /// Returns the time at which the last byte of the result was visible in the memory of the last rank: of all jobs, or of
  /// one.
  Tick last() const { return last_; }
  Tick last(std::size_t job) const { return jobs_.at(job).last; }
  bool has_failed() const { return !error_.empty(); }
  /// True if the first failure is a value that an endpoint cannot process.
  bool has_bad_value() const { return has_failed() && bad_value_; }
  /// Returns the text of the first failure, with its time from `t0` on.
  std::string error(Tick t0) const {
    const double us = static_cast<double>(std::max(failed_at_, t0) - t0) * 1e-6;
    return error_.empty() ? "" : device_ + std::to_string(failed_) + " reports at " + fixed(us, 3) + "us: " + error_;
  }

  // Endpoints report from the threads of their lanes.
  void done(unsigned endpoint, Tick when) override {
    const std::lock_guard lock(mutex_);
    Job& job = jobs_.at(job_of_.empty() ? 0 : job_of_.at(endpoint));
    --job.missing;
    job.last = std::max(job.last, when);
    last_ = std::max(last_, when);
    if (--missing_ == 0 && at_end_) at_end_(last_);
  }
  void failed(unsigned endpoint, Tick when, const std::string& why) override { keep(endpoint, when, why, false); }
  void bad_value(unsigned endpoint, Tick when, const std::string& why) override { keep(endpoint, when, why, true); }

 private:
  struct Job {
    std::size_t missing;
    Tick last;
  };
  /// Keeps the earliest failure, in whatever order failures are reported.
  void keep(unsigned endpoint, Tick when, const std::string& why, bool bad_value) {
    const std::lock_guard lock(mutex_);
    if (!error_.empty() && std::pair(failed_at_, failed_) <= std::pair(when, endpoint)) return;
    failed_at_ = when, failed_ = endpoint;
    error_ = why, bad_value_ = bad_value;
  }
  void begin(std::vector<Job> jobs, std::map<unsigned, std::size_t> job_of) {
    jobs_ = std::move(jobs), job_of_ = std::move(job_of);
    missing_ = 0, last_ = 0;
    for (const Job& job : jobs_) missing_ += job.missing;
    error_.clear();
  }

  std::mutex mutex_;
  std::string device_;
  std::vector<Job> jobs_;
  std::map<unsigned, std::size_t> job_of_;  // by endpoint; empty: one job
  std::size_t missing_ = 0;
  Tick last_ = 0;
  std::string error_;  // the earliest failure: of endpoint `failed_` at `failed_at_`
  Tick failed_at_ = 0;
  unsigned failed_ = 0;
  bool bad_value_ = false;
  std::function<void(Tick)> at_end_;
};

}  // namespace tributary
