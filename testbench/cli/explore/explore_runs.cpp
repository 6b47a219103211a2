#include "testbench/cli/explore/explore_runs.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include "modules/base/text_format.h"
#include "testbench/cli/exit_code.h"
#include "testbench/explore/run_costs.h"
#include "testbench/run/interrupt.h"

namespace tributary {
namespace {

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

ExploreRuns::ExploreRuns(const SweepFolder& folder, const ExploreRunOptions& options)
    : folder_(folder),
      options_(options),
      searches_(options.jobs),
      end_s_(options.budget_s > 0 ? now_s() + options.budget_s : std::numeric_limits<double>::infinity()) {}

bool ExploreRuns::is_over() {
  if (ended_.empty() && interrupt_requested()) ended_ = "interrupted";
  if (ended_.empty() && now_s() >= end_s_) ended_ = "budget";
  return !ended_.empty();
}

const ExploreRuns::Json* ExploreRuns::document(const std::string& id) const {
  const auto found = documents_.find(id);
  return found == documents_.end() ? nullptr : &found->second;
}

std::optional<double> ExploreRuns::cpu_s(const std::string& id) const {
  const Json* const results = document(id);
  if (results == nullptr) return std::nullopt;
  const Json kernel = results->value("kernel", Json::object());
  const Json seconds = kernel.is_object() ? kernel.value("cpu_s", Json()) : Json();
  return seconds.is_number() ? std::optional(seconds.get<double>()) : std::nullopt;
}

const std::string* ExploreRuns::failure(const std::string& id) const {
  const auto found = failures_.find(id);
  return found == failures_.end() ? nullptr : &found->second;
}

void ExploreRuns::keep(const std::string& id, const Json& document) {
  Json kept = document;
  for (const char* list : {"results", "iterations"})
    if (kept.contains(list))
      for (Json& row : kept[list]) {
        row.erase("latency_histograms");
        if (!options_.keeps_links) row.erase("links");
      }
  for (const char* part : {"transfers", "links", "layers", "operations", "critical_path"}) kept.erase(part);
  documents_[id] = std::move(kept);
  progress_s_ = now_s();
}

/// Keeps the results of a point that has finished. Returns false if it has not.
bool ExploreRuns::adopt(const SweepPoint& point) {
  const auto document = folder_.finished(point);
  if (document) keep(point.id, *document);
  return document.has_value();
}

void ExploreRuns::need(SweepPoint point, PointRun run, std::size_t number, const std::optional<double>& cost) {
  if (documents_.count(point.id) != 0 || queued_.count(point.id) != 0 || adopt(point)) return;
  queued_.insert(point.id);
  if (!options_.runs) return;
  Waiting waiting;
  waiting.point = std::move(point), waiting.run = std::move(run), waiting.cost = cost;
  waiting.own = !options_.share || options_.share->holds(number);
  waiting_.push_back(std::move(waiting));
}

void ExploreRuns::finish(const std::function<void(std::size_t)>& show) {
  waiting_.sort(
      [](const Waiting& a, const Waiting& b) { return a.own != b.own ? a.own : explore::starts_before(a.cost, b.cost); });
  progress_s_ = now_s();
  while (!waiting_.empty() || !running_.empty()) {
    if (is_over()) stop();
    start();
    show(waiting_.size() + running_.size());
    if (running_.empty() && now_s() - progress_s_ >= options_.wait_s) ended_ = "missing";
    constexpr int poll_ms = 2, patient_ms = 20;  // for runs of its own, and for those of others
    if (!collect())
      std::this_thread::sleep_for(std::chrono::milliseconds(running_.empty() || !ended_.empty() ? patient_ms : poll_ms));
  }
  queued_.clear();
}

void ExploreRuns::stop() {
  waiting_.clear();
  for (const Running& running : running_) running.process.interrupt();
}

/// Starts runs that are due, while there are processors.
void ExploreRuns::start() {
  for (auto next = waiting_.begin(); next != waiting_.end() && running_.size() < options_.jobs;) {
    if (next->after_s > now_s()) {
      ++next;
      continue;
    }
    if (options_.share || next->after_s > 0) {  // another task may have finished it meanwhile
      if (adopt(next->point)) {
        next = waiting_.erase(next);
        continue;
      }
    }
    searches_.prepare(next->run.request.spec);
    const std::size_t at_once = std::min(options_.jobs, waiting_.size() + running_.size());
    PointProcess process(next->run, folder_.stem(next->point), at_once);
    running_.push_back({std::move(*next), std::move(process)});
    next = waiting_.erase(next);
  }
}

/// Adopts the runs that have ended. Returns false if there are none.
bool ExploreRuns::collect() {
  bool any = false;
  for (auto running = running_.begin(); running != running_.end();) {
    const auto end = running->process.poll();
    if (!end) {
      ++running;
      continue;
    }
    any = true;
    finish_one(*running, *end);
    running = running_.erase(running);
  }
  return any;
}

void ExploreRuns::finish_one(Running& running, const ProcessEnd& end) {
  const std::string id = running.waiting.point.id;
  if (const auto document = folder_.take(running.waiting.point, running.process, end)) return keep(id, *document);
  // A process that ended well without a file was overtaken: another task had the point, and has adopted the results.
  const bool overtaken =
      end.signal == 0 && (end.exit_code == exit_done || end.exit_code == exit_wrong || end.exit_code == point_taken);
  if (overtaken) {
    if (!adopt(running.waiting.point)) retry_later(std::move(running.waiting));
    return;
  }
  const bool refused = end.signal == 0 && end.exit_code == exit_bad_input;  // by the elaborated platform
  if (ended_.empty())
    failures_[id] = (refused ? "refused: " : "failed: ") + one_line(folder_.complaint(running.process, end));
  folder_.forget(running.process);
}

void ExploreRuns::retry_later(Waiting waiting) {
  if (!ended_.empty()) return;
  waiting.after_s = now_s() + waiting.pause_s;
  waiting.pause_s = std::min(2 * waiting.pause_s, most_pause);
  waiting_.push_back(std::move(waiting));
}

}  // namespace tributary
