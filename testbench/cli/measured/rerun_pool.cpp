#include "testbench/cli/measured/rerun_pool.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "modules/base/field_type.h"
#include "testbench/cli/exit_code.h"
#include "testbench/report/sweep_table.h"
#include "testbench/run/interrupt.h"

namespace tributary {

using measure::Outcome;
using measure::Trial;
using measure::TrialState;

namespace {

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Sums the times of all messages. The trace is a digest of times, counters and bytes of links.
Outcome outcome_in(const nlohmann::ordered_json& document) {
  Outcome outcome;
  std::string trace;
  for (const auto& row : result_rows(document)) {
    const std::string status = row.value("status", "");
    if (status != "done" && status != "wrong") return {TrialState::failed, 0, "", "the run ended with status " + status};
    outcome.time += row.value("time_ns", 0.0);
    for (const char* key : {"time_ns", "counters", "links"})
      if (row.contains(key)) trace += row[key].dump();
  }
  outcome.state = TrialState::done;
  outcome.trace = std::to_string(std::hash<std::string>{}(trace));
  return outcome;
}

}  // namespace

RerunPool::RerunPool(const MeasureRequest& request, const SweepFolder& folder, std::function<void(std::size_t)> on_end)
    : request_(request),
      folder_(folder),
      searches_(request.jobs),
      on_end_(std::move(on_end)),
      deadline_s_(now_s() + request.budget_s) {
  if (const Setting* seed = request.settings.find("seed")) seed_ = parse_count(seed->text, ~std::uint64_t{0});
}

RerunPool::Point RerunPool::point_of(const Trial& trial) {
  Settings settings = request_.settings;
  for (const auto& [path, value] : trial.changes) settings.add("set", {path + "=" + value, path});
  if (trial.seed > 0) {
    settings.remove("seed");
    settings.add("seed", {std::to_string(seed_ + trial.seed), "--seed"});
  }
  return point_of_settings(settings, files_);
}

bool RerunPool::is_over() {
  if (ended_.empty() && interrupt_requested()) ended_ = "Ctrl-C ended the search";
  if (ended_.empty() && now_s() >= deadline_s_)
    ended_ = "the budget of " + to_string(picoseconds(static_cast<std::uint64_t>(std::llround(request_.budget_s * 1e12)))) +
             " ended";
  return !ended_.empty();
}

std::vector<Outcome> RerunPool::run(const std::vector<Trial>& trials) {
  std::vector<Outcome> outcomes(trials.size());
  std::vector<std::optional<Point>> points(trials.size());
  std::map<std::string, std::size_t> first;  // trial of each point
  std::list<std::size_t> waiting;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    try {
      points[i] = point_of(trials[i]);
    } catch (const std::exception& error) {
      outcomes[i] = {TrialState::refused, 0, "", error.what()};
      continue;
    }
    if (!first.emplace(points[i]->first.id, i).second) continue;
    if (const auto document = folder_.finished(points[i]->first))
      outcomes[i] = outcome_in(*document);
    else
      waiting.push_back(i);
  }
  while (!waiting.empty() || !running_.empty()) {
    if (is_over()) {
      waiting.clear();
      for (const Running& running : running_) running.process.interrupt();
    }
    while (!waiting.empty() && running_.size() < request_.jobs) {
      const std::size_t i = waiting.front(), at_once = std::min(request_.jobs, waiting.size() + running_.size());
      waiting.pop_front();
      searches_.prepare(points[i]->second.request.spec);
      running_.push_back({i, &points[i]->first, PointProcess(points[i]->second, folder_.stem(points[i]->first), at_once)});
    }
    if (!collect(outcomes)) std::this_thread::sleep_for(std::chrono::milliseconds(ended_.empty() ? 2 : 20));
  }
  for (std::size_t i = 0; i < trials.size(); ++i)
    if (points[i]) outcomes[i] = outcomes[first.at(points[i]->first.id)];
  return outcomes;
}

bool RerunPool::collect(std::vector<Outcome>& outcomes) {
  bool any = false;
  for (auto running = running_.begin(); running != running_.end();) {
    const auto end = running->process.poll();
    if (end) {
      outcomes[running->trial] = outcome_of(*running, *end);
      if (on_end_) on_end_(++count_);
      any = true;
    }
    running = end ? running_.erase(running) : std::next(running);
  }
  return any;
}

Outcome RerunPool::outcome_of(const Running& running, const ProcessEnd& end) {
  if (const auto document = folder_.take(*running.point, running.process, end)) return outcome_in(*document);
  if (!ended_.empty()) return folder_.forget(running.process), Outcome{};
  const bool refused = end.signal == 0 && end.exit_code == exit_bad_input;
  Outcome outcome{refused ? TrialState::refused : TrialState::failed, 0, "", folder_.complaint(running.process, end)};
  folder_.forget(running.process);
  return outcome;
}

}  // namespace tributary
