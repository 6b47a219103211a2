#include "testbench/cli/explore/explore_model.h"

#include <algorithm>

#include "testbench/cli/requests/option_table.h"
#include "testbench/cli/requests/option_text.h"
#include "testbench/explore/characters.h"

namespace tributary {
namespace {

explore::Space space_of(const ExploreFile& file) {
  std::vector<explore::Variable> variables;
  for (const ExploreVariable& variable : file.variables) variables.push_back(variable.variable);
  return with_place(file.path + ": variables", [&] { return explore::Space(variables); });
}

/// Returns a word as a shell reads it.
std::string shell_word(const std::string& text) {
  const auto plain = [](char c) { return explore::is_word(c) || std::string("./:=,+-%@").find(c) != std::string::npos; };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

ExploreModel::ExploreModel(ExploreFile file) : file_(std::move(file)) {
  fields_ = std::make_shared<ExploreFields>(file_.workloads);
  problem_ =
      with_place(file_.path + ": variables", [&] { return std::make_shared<explore::Problem>(space_of(file_), *fields_); });
  if (file_.baseline)
    baseline_ = with_place(file_.baseline_where, [&] { return problem_->space().point_of(*file_.baseline); });
  check_values();
  for (const ExploreDefinition& one : file_.definitions)
    with_place(one.text.where, [&] { problem_->define(one.name, one.text.text); });
  derive();
  for (const ExploreText& one : file_.constraints) with_place(one.where, [&] { problem_->add_constraint(one.text); });
  for (const ExploreObjective& one : file_.objectives)
    with_place(one.text.where, [&] { problem_->add_objective(one.name, one.text.text, one.maximised); });
  const ExploreMethod& method = file_.method;
  if (method.of) with_place(method.of->where, [&] { problem_->set_of(method.of->text, method.kind == "sensitivity"); });
  if (!method.of && problem_->objectives().empty())
    throw InputError(file_.path + ": objectives: the key is missing (legal: 1 to 4 objectives)");
  check_rungs();
  check_runs_of_rungs();
}

bool ExploreModel::names_energy() const {
  const auto names = [](const ExploreText& one) {
    return one.text.find("energy.") != std::string::npos || one.text.find("area.") != std::string::npos;
  };
  for (const ExploreDefinition& one : file_.definitions)
    if (names(one.text)) return true;
  for (const ExploreObjective& one : file_.objectives)
    if (names(one.text)) return true;
  return std::any_of(file_.constraints.begin(), file_.constraints.end(), names) ||
         (file_.method.of && names(*file_.method.of));
}

void ExploreModel::check_rungs() const {
  std::vector<std::string> legal;
  for (const OptionRow& row : run_options())
    if (row.name != "set" && row.name != "jobs") legal.push_back(row.name);
  for (const Settings& rung : file_.method.rungs)
    for (const auto& [option, given] : rung.all())
      if (std::find(legal.begin(), legal.end(), option) == legal.end())
        throw InputError(given.front().where + ": " + unknown_name("option", option, legal, false));
}

/// Returns a run of a workload or of a cheaper rung that `run` accepts, at the baseline or at one of three points of the
/// space.
PointRun ExploreModel::accepted_run(std::size_t workload, std::size_t rung) {
  const explore::Space& space = problem_->space();
  std::vector<explore::Point> points{space.at(0), space.at(space.size() / 2), space.at(space.size() - 1)};
  if (baseline_) points = {*baseline_};
  std::string refused;
  for (const explore::Point& point : points) try {
      return run_of({point, rung}, workload, 0).second;
    } catch (const std::exception& error) {
      if (refused.empty()) refused = error.what();
    }
  throw InputError(refused);
}

/// Checks each value of a parameter.
void ExploreModel::check_values() {
  for (std::size_t w = 0; w < file_.workloads.size(); ++w) {
    PointRun accepted = accepted_run(w);
    for (const ExploreVariable& variable : file_.variables) {
      if (variable.is_option || variable.target.empty()) continue;
      for (const std::string& value : variable.variable.values)
        with_place(variable.where,
                   [&] { accepted.request.spec.parameters.fields().set_assignment(variable.target + "=" + value); });
    }
  }
}

/// Checks that `run` accepts some point of each rung.
void ExploreModel::check_runs_of_rungs() {
  for (std::size_t rung = 1; rung < file_.method.rungs.size(); ++rung)
    for (std::size_t w = 0; w < file_.workloads.size(); ++w) try {
        accepted_run(w, rung);
      } catch (const InputError& error) {
        const std::string refused = error.what();
        const bool has_place = refused.rfind(file_.path + ":", 0) == 0;
        throw InputError(has_place ? refused : file_.method.where + ".rungs: " + refused);
      }
}

void ExploreModel::derive() {
  for (const ExploreDefinition& one : file_.derived) {
    for (const ExploreVariable& variable : file_.variables)
      if (variable.target == one.name)
        throw InputError(one.text.where + ": the variable " + variable.variable.name + " sets this parameter");
    with_place(one.text.where, [&] { problem_->derive(one.name, one.text.text); });
  }
  if (!file_.derived.empty())
    for (std::size_t w = 0; w < file_.workloads.size(); ++w) accepted_run(w);
}

Settings ExploreModel::settings_of(const explore::Candidate& candidate, std::size_t workload, std::size_t seed) const {
  Settings settings = file_.workloads.at(workload).settings;
  const auto replace = [&](const std::string& option, const Setting& setting) {
    settings.remove(option);
    settings.add(option, setting);
  };
  for (std::size_t v = 0; v < file_.variables.size(); ++v) {
    const ExploreVariable& variable = file_.variables[v];
    const std::string& text = problem_->space().text(candidate.point, v);
    if (variable.is_option)
      replace(variable.target, {text, variable.where});
    else if (!variable.target.empty())
      settings.add("set", {variable.target + "=" + text, variable.where});
  }
  const auto derived = problem_->derived(candidate.point);
  for (std::size_t d = 0; d < derived.size(); ++d)
    settings.add("set", {derived[d].first + "=" + derived[d].second, file_.derived[d].text.where});
  if (candidate.change > 0) {
    const auto& [parameter, value] = changes_.at(candidate.change - 1);
    settings.add("set", {parameter + "=" + value, parameter});
  }
  if (candidate.rung > 0)
    for (const auto& [option, given] : file_.method.rungs.at(candidate.rung - 1).all()) replace(option, given.front());
  if (file_.seed + seed != 1) replace("seed", {std::to_string(file_.seed + seed), file_.path + ": seed"});
  return settings;
}

std::vector<std::string> ExploreModel::chosen_parameters() const {
  std::vector<std::string> all;
  for (const ExploreVariable& variable : file_.variables) all.push_back(variable.target);
  for (const ExploreDefinition& derived : file_.derived) all.push_back(derived.name);
  for (const ExploreWorkload& workload : file_.workloads)
    for (const auto& [name, value] : workload.settings.content()) all.push_back(name);
  return all;
}

std::vector<std::string> ExploreModel::commands_of(const explore::Candidate& candidate) const {
  std::vector<std::string> commands;
  for (std::size_t w = 0; w < file_.workloads.size(); ++w) {
    std::string& command = commands.emplace_back(file_.workloads[w].training ? "tributary train" : "tributary run");
    const Settings settings = settings_of(candidate, w, 0);
    for (const auto& [option, given] : settings.all())
      for (const Setting& setting : given) {
        if (option == "command" || setting.text == "false") continue;
        command += " --" + option + (setting.text == "true" ? "" : " " + shell_word(setting.text));
      }
  }
  return commands;
}

std::pair<SweepPoint, PointRun> ExploreModel::run_of(const explore::Candidate& candidate, std::size_t workload,
                                                     std::size_t seed) {
  return point_of_settings(settings_of(candidate, workload, seed), files_);
}

}  // namespace tributary
