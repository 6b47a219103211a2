#include "testbench/cli/explore/explore_pool.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <thread>

#include "modules/base/text_format.h"
#include "testbench/cli/exit_code.h"
#include "testbench/report/sweep_table.h"
#include "testbench/run/interrupt.h"

namespace tributary {

using explore::Candidate;
using explore::Score;

namespace {

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Returns the mean of the scores of several seeds; a failure of one of them is a failure of all.
Score mean_of(const std::vector<Score>& scores) {
  Score mean = scores.front();
  for (std::size_t i = 1; i < scores.size(); ++i) {
    if (std::isinf(scores[i].violation)) return scores[i];
    if (mean.reason.empty()) mean.reason = scores[i].reason;
    mean.violation += scores[i].violation;
    for (std::size_t m = 0; m < mean.objectives.size(); ++m) mean.objectives[m] += scores[i].objectives.at(m);
    if (mean.of) *mean.of += scores[i].of.value_or(0);
  }
  const auto count = static_cast<double>(scores.size());
  mean.violation /= count;
  for (double& objective : mean.objectives) objective /= count;
  if (mean.of) *mean.of /= count;
  return mean;
}

double spread_of(const std::vector<Score>& scores, const Score& mean) {
  double spread = 0;
  for (std::size_t m = 0; m < mean.objectives.size(); ++m) {
    double least = scores.front().objectives[m], most = least;
    for (const Score& score : scores)
      least = std::min(least, score.objectives[m]), most = std::max(most, score.objectives[m]);
    if (mean.objectives[m] != 0) spread = std::max(spread, (most - least) / std::fabs(mean.objectives[m]));
  }
  return spread;
}

}  // namespace

ExplorePool::ExplorePool(ExploreModel& model, const SweepFolder& folder, std::size_t jobs, double budget_s, bool quiet)
    : model_(model),
      folder_(folder),
      jobs_(jobs),
      end_s_(budget_s > 0 ? now_s() + budget_s : std::numeric_limits<double>::infinity()),
      show_(!quiet && isatty(STDERR_FILENO) == 1) {}

bool ExplorePool::is_over() {
  if (ended_.empty() && interrupt_requested()) ended_ = "interrupted";
  if (ended_.empty() && now_s() >= end_s_) ended_ = "budget";
  return !ended_.empty();
}

void ExplorePool::keep(const std::string& id, const Json& document) {
  Json kept = document;
  for (const char* list : {"results", "iterations"})
    if (kept.contains(list))
      for (Json& row : kept[list])
        for (const char* part : {"links", "latency_histograms"}) row.erase(part);
  for (const char* part : {"transfers", "links", "layers", "operations", "critical_path"}) kept.erase(part);
  documents_[id] = std::move(kept);
}

/// Queues the runs that a candidate needs and that are not finished.
ExplorePool::Planned ExplorePool::queue_runs(const Candidate& candidate) {
  Planned planned{candidate, {}, ""};
  if (model_.problem().without_run(candidate.point)) return planned;
  std::vector<Waiting> needed;
  try {
    for (std::size_t seed = 0; seed < model_.file().seeds; ++seed) {
      auto& ids = planned.ids.emplace_back();
      for (std::size_t w = 0; w < model_.file().workloads.size(); ++w) {
        auto [point, run] = model_.run_of(candidate, w, seed);
        ids.push_back(point.id);
        needed.push_back({std::move(point), std::move(run)});
      }
    }
  } catch (const std::exception& error) {
    planned.refused = std::string("refused: ") + error.what();
    return planned;
  }
  for (Waiting& one : needed) {
    if (documents_.count(one.point.id) != 0 || !queued_.insert(one.point.id).second) continue;
    if (const auto document = folder_.finished(one.point))
      keep(one.point.id, *document);
    else
      waiting_.push_back(std::move(one));
  }
  return planned;
}

std::optional<std::vector<Score>> ExplorePool::run(const std::vector<Candidate>& candidates, std::size_t generation) {
  generation_ = generation;
  std::vector<Planned> planned;
  std::set<Key> new_keys;
  for (const Candidate& candidate : candidates) {
    const Key key{candidate.rung, candidate.point};
    if (known_.count(key) == 0 && new_keys.insert(key).second) planned.push_back(queue_runs(candidate));
    if (is_over()) break;
  }
  run_waiting();
  for (const Planned& one : planned)
    if (auto point = evaluated(one)) {
      known_[{one.candidate.rung, one.candidate.point}] = points_.size();
      points_.push_back(std::move(*point));
    }
  std::vector<Score> scores;
  for (const Candidate& candidate : candidates) {
    const auto found = known_.find({candidate.rung, candidate.point});
    if (found == known_.end()) return std::nullopt;
    scores.push_back(points_[found->second].score);
  }
  return scores;
}

void ExplorePool::run_waiting() {
  while (!waiting_.empty() || !running_.empty()) {
    if (is_over()) {
      waiting_.clear();
      for (const Running& running : running_) running.process.interrupt();
    }
    while (!waiting_.empty() && running_.size() < jobs_) {
      Waiting next = std::move(waiting_.front());
      waiting_.pop_front();
      const std::string stem = folder_.stem(next.point);
      PointProcess process(next.run, stem);
      running_.push_back({std::move(next.point), std::move(next.run), std::move(process)});
      ++runs_;
    }
    show_progress();
    if (!collect()) std::this_thread::sleep_for(std::chrono::milliseconds(ended_.empty() ? 2 : 20));
  }
  if (show_) std::fputs("\r\033[K", stderr);
}

/// Adopts the runs that have ended. Returns false if there are none.
bool ExplorePool::collect() {
  bool any = false;
  for (auto running = running_.begin(); running != running_.end();) {
    const auto end = running->process.poll();
    if (!end) {
      ++running;
      continue;
    }
    any = true;
    const std::string& id = running->point.id;
    if (const auto document = folder_.take(running->point, running->process, *end)) {
      keep(id, *document);
    } else if (end->signal == 0 && end->exit_code == point_taken) {  // another exploration runs it
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      if (const auto finished = folder_.finished(running->point))
        keep(id, *finished);
      else if (ended_.empty())
        waiting_.push_back({std::move(running->point), std::move(running->run)});
      --runs_;
    } else {
      if (ended_.empty()) failures_[id] = "failed: " + one_line(folder_.complaint(running->process, *end));
      folder_.forget(running->process);
    }
    running = running_.erase(running);
  }
  return any;
}

Score ExplorePool::score_of(const Candidate& candidate, const std::vector<std::string>& ids) const {
  std::vector<Json> documents;
  for (std::size_t w = 0; w < ids.size(); ++w) {
    documents.push_back(documents_.at(ids[w]));
    const std::string fault = ExploreFields::fault_of(documents.back());
    if (!fault.empty()) return explore::Problem::failed(model_.file().workloads[w].name + ": " + fault);
  }
  return model_.problem().score(candidate.point, [&](const std::string& name) {
    for (const ExploreVariable& variable : model_.file().variables)
      if (variable.variable.name == name && !variable.is_option)
        return ExploreFields::parameter_of(variable.target, documents.front());
    return model_.fields().value_of(name, documents);
  });
}

/// Returns nothing if runs of the candidate are missing.
std::optional<ExploredPoint> ExplorePool::evaluated(const Planned& planned) const {
  ExploredPoint point{planned.candidate, {}, generation_, "", 0};
  if (const auto score = model_.problem().without_run(planned.candidate.point)) return point.score = *score, point;
  if (!planned.refused.empty()) return point.score = explore::Problem::failed(planned.refused), point;
  std::vector<Score> scores;
  for (const auto& ids : planned.ids) {
    for (const std::string& id : ids) {
      point.ids += (point.ids.empty() ? "" : "+") + id;
      const auto failure = failures_.find(id);
      if (failure != failures_.end()) return point.score = explore::Problem::failed(failure->second), point;
      if (documents_.count(id) == 0) return std::nullopt;
    }
    scores.push_back(score_of(planned.candidate, ids));
  }
  point.score = mean_of(scores);
  if (!std::isinf(point.score.violation)) point.spread = spread_of(scores, point.score);
  return point;
}

void ExplorePool::show_progress() const {
  if (show_)
    std::fprintf(stderr, "\r\033[Kexploring: step %zu, %zu points, %zu runs to do", generation_, points_.size(),
                 waiting_.size() + running_.size());
}

}  // namespace tributary
