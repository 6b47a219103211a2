#include "testbench/cli/scenario.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "modules/base/nearest.h"
#include "testbench/cli/option_table.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

class Reader {
 public:
  explicit Reader(std::string path) : path_(std::move(path)) {}

  Settings read() {
    const YAML::Node top = load();
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
  YAML::Node load() const {
    std::error_code ignored;
    std::ifstream file(path_, std::ios::binary);
    if (!file || std::filesystem::is_directory(path_, ignored)) throw InputError(path_ + ": cannot be read");
    try {
      return YAML::Load(file);
    } catch (const YAML::Exception& error) {
      throw InputError(path_ + line(error.mark) + ": " + error.msg);
    }
  }

  void read_jobs(const YAML::Node& jobs) {
    if (!jobs.IsSequence() || jobs.size() == 0) fail(jobs, "jobs: a list of one job is expected");
    if (jobs.size() > 1) fail(jobs[1], "jobs: several jobs at once are not supported by this version (legal: one job)");
    if (!jobs[0].IsMap()) fail(jobs[0], "jobs: a job is a map of keys (legal: " + join_names(keys(true)) + ")");
    for (const auto& entry : jobs[0]) read_option(key_of(entry.first), entry.first, entry.second, true);
  }

  void read_option(const std::string& given, const YAML::Node& at, const YAML::Node& value, bool in_job) {
    const auto legal = keys(in_job);
    std::string key = given;  // time_limit is as good as time-limit
    std::replace(key.begin(), key.end(), '_', '-');
    if (std::find(legal.begin(), legal.end(), key) == legal.end() || key == "parameters" || key == "jobs")
      fail(at, unknown_name(in_job ? "key of a job" : "key", given, legal));
    const bool list = find_run_option(key)->kind == OptionKind::list;
    if (value.IsScalar()) {
      settings_.add(key, {value.Scalar(), place(value) + key});
    } else if (value.IsSequence() && list) {
      for (const auto& item : value) settings_.add(key, {scalar(item, key), place(item) + key});
    } else if (value.IsSequence() && (key == "ranks" || key == "targets")) {
      std::string text;
      for (const auto& item : value) text += (text.empty() ? "" : ",") + scalar(item, key);
      settings_.add(key, {text, place(value) + key});
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
      if (entry.second.IsMap())
        read_parameters(entry.second, path + ".");
      else
        settings_.add("set", {path + "=" + scalar(entry.second, path), place(entry.second) + "parameters"});
    }
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
  Settings settings_;
};

}  // namespace

Settings read_scenario(const std::string& path) { return Reader(path).read(); }

}  // namespace tributary
