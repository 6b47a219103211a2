#include "testbench/cli/scenario.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "modules/base/nearest.h"
#include "testbench/cli/axes.h"
#include "testbench/cli/option_table.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

/// The YAML documents of a file.
std::vector<YAML::Node> load(const std::string& path) {
  std::error_code ignored;
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path, ignored)) throw InputError(path + ": cannot be read");
  try {
    return YAML::LoadAll(file);
  } catch (const YAML::Exception& error) {
    const std::string line = error.mark.is_null() ? "" : ":" + std::to_string(error.mark.line + 1);
    throw InputError(path + line + ": " + error.msg);
  }
}

class Reader {
 public:
  /// With `axes`, a list where one value is expected is an axis.
  explicit Reader(std::string path, Axes* axes = nullptr) : path_(std::move(path)), axes_(axes) {}

  Settings read(const YAML::Node& top) {
    if (top.IsNull()) return settings_;
    if (!top.IsMap()) fail(top, "a scenario is a map of keys (legal: " + join_names(keys(false)) + ")");
    for (const auto& entry : top) {
      const std::string key = key_of(entry.first);
      if (key == "parameters")
        read_parameters(entry.second, "");
      else if (key == "jobs")
        read_jobs(entry.second);
      else
        read_option(key, entry.first, entry.second, false);
    }
    settings_.check();
    return settings_;
  }

 private:
  void read_jobs(const YAML::Node& jobs) {
    if (!jobs.IsSequence() || jobs.size() == 0) fail(jobs, "jobs: a list of jobs is expected (legal: at least one)");
    const bool several = jobs.size() > 1;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      if (!jobs[j].IsMap()) fail(jobs[j], "jobs: a job is a map of keys (legal: " + join_names(keys(true)) + ")");
      if (several) settings_.jobs().emplace_back();
      axis_prefix_ = several ? "jobs[" + std::to_string(j) + "]." : "";
      for (const auto& entry : jobs[j]) read_option(key_of(entry.first), entry.first, entry.second, true);
    }
    axis_prefix_.clear();
  }

  void read_option(const std::string& given, const YAML::Node& at, const YAML::Node& one_or_more, bool in_job) {
    Settings& settings = in_job && !settings_.jobs().empty() ? settings_.jobs().back() : settings_;
    const auto legal = keys(in_job);
    std::string key = given;  // time_limit is as good as time-limit
    std::replace(key.begin(), key.end(), '_', '-');
    if (key == "faults") key = "fault";
    if (std::find(legal.begin(), legal.end(), key) == legal.end() || key == "parameters" || key == "jobs")
      fail(at, unknown_name(in_job ? "key of a job" : "key", given, legal));
    const bool list = find_run_option(key)->kind == OptionKind::list;
    const YAML::Node value = list ? one_or_more : choose(axis_prefix_ + key, one_or_more);
    if (value.IsScalar()) {
      settings.add(key, {value.Scalar(), place(value) + key});
    } else if (value.IsSequence() && list) {
      for (const auto& item : value) settings.add(key, {scalar(item, key), place(item) + key});
    } else if (value.IsSequence() && (key == "ranks" || key == "targets")) {
      settings.add(key, {joined(value, key), place(value) + key});
    } else {
      fail(value.IsDefined() && !value.IsNull() ? value : at,
           key + ": one value is expected (" + find_run_option(key)->help + ")");
    }
  }

  /// `switch.latency: 150ns`, or nested: `switch: { latency: 150ns }`.
  void read_parameters(const YAML::Node& map, const std::string& prefix) {
    if (!map.IsMap()) fail(map, "parameters: a map of paths to values is expected, for instance link.latency: 20ns");
    for (const auto& entry : map) {
      const std::string path = prefix + key_of(entry.first);
      if (entry.second.IsMap()) {
        read_parameters(entry.second, path + ".");
        continue;
      }
      const YAML::Node value = choose(path, entry.second);
      settings_.add("set", {path + "=" + scalar(value, path), place(value) + "parameters"});
    }
  }

  /// The element of an axis whose turn it is; any other value is itself.
  YAML::Node choose(const std::string& name, const YAML::Node& value) {
    if (axes_ == nullptr || !value.IsSequence()) return value;
    std::vector<std::string> texts;
    for (const auto& item : value) texts.push_back(item.IsSequence() ? joined(item, name) : scalar(item, name));
    return value[axes_->choose(name, texts, place(value))];
  }

  std::string joined(const YAML::Node& list, const std::string& key) const {
    std::string text;
    for (const auto& item : list) text += (text.empty() ? "" : ",") + scalar(item, key);
    return text;
  }

  std::string scalar(const YAML::Node& node, const std::string& key) const {
    if (!node.IsScalar()) fail(node, key + ": one value is expected");
    return node.Scalar();
  }

  std::string key_of(const YAML::Node& node) const {
    if (!node.IsScalar()) fail(node, "a key is a plain name");
    return node.Scalar();
  }

  static std::vector<std::string> keys(bool in_job) {
    std::vector<std::string> names;
    for (const OptionRow& row : run_options())
      if (row.name != "set" && (!in_job || row.of_job)) names.push_back(row.name);
    if (!in_job) names.insert(names.end(), {"parameters", "jobs"});
    return names;
  }

  static std::string line(const YAML::Mark& mark) { return mark.is_null() ? "" : ":" + std::to_string(mark.line + 1); }
  std::string place(const YAML::Node& node) const { return path_ + line(node.Mark()) + ": "; }
  [[noreturn]] void fail(const YAML::Node& node, const std::string& what) const { throw InputError(place(node) + what); }

  std::string path_;
  Axes* axes_;
  Settings settings_;
  std::string axis_prefix_;  // names axes within one of several jobs
};

}  // namespace

Settings read_scenario(const std::string& path) {
  const std::vector<YAML::Node> documents = load(path);
  if (documents.size() > 1)
    throw InputError(path + ":" + std::to_string(documents[1].Mark().line + 1) +
                     ": a second document (legal: one; several are for tributary sweep)");
  return documents.empty() ? Settings{} : Reader(path).read(documents.front());
}

std::vector<ScenarioPoint> read_sweep(const std::string& path) {
  std::vector<ScenarioPoint> points;
  for (const YAML::Node& document : load(path)) {
    Axes axes;
    do {
      ScenarioPoint point{Reader(path, &axes).read(document), {}};
      for (const Axes::Axis& axis : axes.all()) point.axes.emplace_back(axis.name, axis.values[axis.chosen]);
      points.push_back(std::move(point));
    } while (axes.advance());
  }
  return points;
}

}  // namespace tributary
