#include "testbench/cli/explore/explore_pool.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "testbench/report/stored_run.h"
#include "testbench/workload/input_error.h"

namespace tributary {

using explore::Candidate;
using explore::Score;

namespace {

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

/// Returns the ids of all seeds and workloads, joined by `+`.
std::string joined(const std::vector<std::vector<std::string>>& ids) {
  std::string text;
  for (const auto& of_seed : ids)
    for (const std::string& id : of_seed) text += (text.empty() ? "" : "+") + id;
  return text;
}

}  // namespace

ExplorePool::ExplorePool(ExploreModel& model, const SweepFolder& folder, const ExploreRunOptions& options, bool quiet)
    : model_(model), runs_(folder, options), costs_(model.problem().space()), show_(!quiet && isatty(STDERR_FILENO) == 1) {}

/// Queues the runs that a candidate needs and that are not finished. `number`: its place in the question.
ExplorePool::Planned ExplorePool::queue_runs(const Candidate& candidate, std::size_t number) {
  Planned planned{candidate, {}, "", {}};
  if (model_.problem().without_run(candidate.point)) return planned;
  std::vector<std::pair<SweepPoint, PointRun>> needed;
  try {
    for (std::size_t seed = 0; seed < model_.file().seeds; ++seed) {
      auto& ids = planned.ids.emplace_back();
      for (std::size_t w = 0; w < model_.file().workloads.size(); ++w) {
        needed.push_back(model_.run_of(candidate, w, seed));
        ids.push_back(needed.back().first.id);
        if (seed == 0) planned.prices.push_back(needed.back().second.request.spec.parameters.prices);
      }
    }
  } catch (const std::exception& error) {
    planned.refused = std::string("refused: ") + error.what();
    return planned;
  }
  for (std::size_t i = 0; i < needed.size(); ++i) {
    const auto cost = costs_.estimate(kind_of(candidate, i % model_.file().workloads.size()), candidate.point);
    runs_.need(std::move(needed[i].first), std::move(needed[i].second), number, cost);
  }
  return planned;
}

std::size_t ExplorePool::kind_of(const Candidate& candidate, std::size_t workload) const {
  return candidate.rung * model_.file().workloads.size() + workload;
}

/// Stores the times of the runs of the last question, for the order of the next one.
void ExplorePool::store_costs() {
  for (const Planned& planned : planned_)
    for (const auto& of_seed : planned.ids)
      for (std::size_t w = 0; w < of_seed.size(); ++w)
        if (const auto seconds = runs_.cpu_s(of_seed[w]))
          costs_.add(kind_of(planned.candidate, w), planned.candidate.point, *seconds);
}

std::optional<std::vector<Score>> ExplorePool::run(const std::vector<Candidate>& candidates, std::size_t generation) {
  generation_ = generation;
  planned_.clear();
  std::set<Key> new_keys;
  for (std::size_t i = 0; i < candidates.size() && !runs_.is_over(); ++i)
    if (known_.count(key_of(candidates[i])) == 0 && new_keys.insert(key_of(candidates[i])).second)
      planned_.push_back(queue_runs(candidates[i], i));
  runs_.finish([&](std::size_t to_do) { show_progress(to_do); });
  store_costs();
  if (show_) std::fputs("\r\033[K", stderr);
  for (const Planned& one : planned_)
    if (auto point = evaluated(one)) {
      known_[key_of(one.candidate)] = points_.size();
      points_.push_back(std::move(*point));
    }
  std::vector<Score> scores;
  missing_ = {};
  for (const Candidate& candidate : candidates) {
    const auto found = known_.find(key_of(candidate));
    if (found == known_.end())
      missing_.push_back(candidate);
    else
      scores.push_back(points_[found->second].score);
  }
  if (missing_.empty()) return scores;
  if (runs_.ended().empty()) runs_.end("missing");
  whole_ = candidates.size();
  return std::nullopt;
}

std::string ExplorePool::missing_text() const {
  return "generation " + std::to_string(generation_) + ": " + std::to_string(missing_.size()) + " of " +
         std::to_string(whole_) + " points missing";
}

std::string ExplorePool::ids_of(const Candidate& candidate) const {
  for (const Planned& planned : planned_)
    if (key_of(planned.candidate) == key_of(candidate)) return joined(planned.ids);
  return "";
}

Score ExplorePool::score_of(const Planned& planned, const std::vector<std::string>& ids) const {
  ExploreResults results;
  for (std::size_t w = 0; w < ids.size(); ++w) {
    const std::string& workload = model_.file().workloads[w].name;
    results.documents.push_back(*runs_.document(ids[w]));
    const std::string fault = ExploreFields::fault_of(results.documents.back());
    if (!fault.empty()) return explore::Problem::failed(workload + ": " + fault);
    results.energies.emplace_back();
    if (!model_.names_energy()) continue;
    try {
      results.energies.back() = stored_energy_values(results.documents.back(), ids[w], planned.prices.at(w));
    } catch (const InputError& error) {
      return explore::Problem::failed(workload + ": " + error.what());
    }
  }
  return model_.problem().score(planned.candidate.point,
                                [&](const std::string& name) { return value_of(name, planned, results); });
}

/// Returns the value of a variable as its run used it, or a field of the results. A price is no part of a run, so that a
/// result may hold another one than the point.
explore::Evaluation ExplorePool::value_of(const std::string& name, const Planned& planned,
                                          const ExploreResults& results) const {
  const explore::Space& space = model_.problem().space();
  for (std::size_t v = 0; v < space.dimensions(); ++v) {
    const ExploreVariable& variable = model_.file().variables[v];
    if (variable.variable.name != name || variable.is_option) continue;
    const std::string& text = space.text(planned.candidate.point, v);
    if (is_price(variable.target) && text != "auto") return {std::stod(text), ""};
    return ExploreFields::parameter_of(variable.target, results.documents.front());
  }
  return model_.fields().value_of(name, results);
}

/// Returns nothing if runs of the candidate are missing.
std::optional<ExploredPoint> ExplorePool::evaluated(const Planned& planned) const {
  ExploredPoint point;
  point.candidate = planned.candidate;
  point.generation = generation_;
  if (const auto score = model_.problem().without_run(planned.candidate.point)) return point.score = *score, point;
  if (!planned.refused.empty()) return point.score = explore::Problem::failed(planned.refused), point;
  std::vector<Score> scores;
  point.ids = joined(planned.ids);
  for (const auto& ids : planned.ids) {
    for (const std::string& id : ids) {
      const std::string* const failure = runs_.failure(id);
      if (failure != nullptr) return point.score = explore::Problem::failed(*failure), point;
      if (runs_.document(id) == nullptr) return std::nullopt;
    }
    scores.push_back(score_of(planned, ids));
  }
  for (const std::string& id : planned.ids.front())
    point.bottlenecks.push_back(ExploreFields::bottleneck_of(*runs_.document(id)));
  point.score = mean_of(scores);
  if (!std::isinf(point.score.violation)) point.spread = spread_of(scores, point.score);
  return point;
}

void ExplorePool::show_progress(std::size_t to_do) const {
  if (show_)
    std::fprintf(stderr, "\r\033[Kexploring: step %zu, %zu points, %zu runs to do", generation_, points_.size(), to_do);
}

}  // namespace tributary
