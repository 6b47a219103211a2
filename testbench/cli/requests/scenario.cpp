#include "testbench/cli/requests/scenario.h"

#include <algorithm>

#include "modules/base/nearest.h"
#include "testbench/cli/requests/option_table.h"
#include "testbench/cli/requests/option_text.h"
#include "testbench/cli/requests/renamed_options.h"
#include "testbench/cli/requests/scenario_node.h"
#include "testbench/cli/requests/scenario_paths.h"
#include "testbench/cli/requests/train_request.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

constexpr std::size_t most_jobs = 1024;

class Reader {
 public:
  /// With `axes`, a list where one value is expected is an axis.
  explicit Reader(std::string path, Axes* axes = nullptr) : path_(std::move(path)), axes_(axes) {}

  Settings read(const YamlNode& top) {
    if (top.is_null()) return settings_;
    if (!top.is_map())
      fail(top, "a scenario is a map of keys (legal: lines such as `platform: dgx2`; `tributary help run` lists the keys)");
    if (axes_ != nullptr) read_command(top);
    for (const auto& [name, value] : top.entries) {
      const std::string key = key_of(*name);
      if (key == "command" && axes_ != nullptr) continue;
      if (key == "parameters")
        read_parameters(*value, "");
      else if (key == "jobs" && !training_)
        read_jobs(*value);
      else
        read_option(key, *name, *value, false);
    }
    settings_.check();
    return settings_;
  }
  bool training() const { return training_; }

 private:
  /// Reads the key `command` first, because it determines the other keys.
  void read_command(const YamlNode& top) {
    for (const auto& [name, value] : top.entries) {
      if (!name->is_scalar() || name->text != "command") continue;
      const std::string where = place(*value) + "command";
      const std::string command = scalar(*value, "command");
      training_ = with_place(where, [&] { return parse_name<bool>(command, {{"run", false}, {"train", true}}); });
      if (training_) settings_.add("command", {"train", where});
    }
  }

  void read_jobs(const YamlNode& jobs) {
    if (!jobs.is_sequence() || jobs.items.empty()) fail(jobs, "jobs: a list of jobs is expected (legal: at least one)");
    if (jobs.items.size() > most_jobs)
      fail(jobs, "jobs: the list has " + std::to_string(jobs.items.size()) + " jobs (legal: up to " +
                     std::to_string(most_jobs) + ")");
    const bool several = jobs.items.size() > 1;
    for (std::size_t j = 0; j < jobs.items.size(); ++j) {
      const YamlNode& job = *jobs.items[j];
      if (!job.is_map()) fail(job, "jobs: a job is a map of keys (legal: " + join_names(keys(true)) + ")");
      if (several) settings_.jobs().emplace_back();
      axis_prefix_ = several ? "jobs[" + std::to_string(j) + "]." : "";
      for (const auto& [name, value] : job.entries) read_option(key_of(*name), *name, *value, true);
    }
    axis_prefix_.clear();
  }

  void read_option(const std::string& given, const YamlNode& at, const YamlNode& one_or_more, bool in_job) {
    Settings& settings = in_job && !settings_.jobs().empty() ? settings_.jobs().back() : settings_;
    const auto legal = keys(in_job);
    std::string key = given;  // time_limit and time-limit are the same key
    std::replace(key.begin(), key.end(), '_', '-');
    if (key == "faults") key = "fault";
    refuse_renamed_option(training_ ? "train" : "run", key, {one_or_more.text, place(at) + given});
    if (std::find(legal.begin(), legal.end(), key) == legal.end() || key == "parameters" || key == "jobs")
      fail(at, unknown_key(in_job ? "key of a job" : "key", given, legal));
    const OptionRow& option = row_of(key);
    const bool list = option.kind == OptionKind::list;
    const YamlNode& value = list ? one_or_more : choose(axis_prefix_ + key, one_or_more);
    if (value.is_scalar()) {
      settings.add(key, setting_of(key, value));
    } else if (value.is_sequence() && list) {
      for (const YamlRef& item : value.items) settings.add(key, setting_of(key, *item));
    } else if (value.is_sequence() && (key == "ranks" || key == "targets")) {
      settings.add(key, {joined(value, key), place(value) + key});
    } else {
      fail(value.is_null() ? at : value, key + ": one value is expected (" + option.help + ")");
    }
  }

  /// Names the nearest keys, or the page with all of them, because the list fills several lines.
  std::string unknown_key(const std::string& kind, const std::string& given, const std::vector<std::string>& legal) const {
    const std::string text = unknown_name(kind, given, legal, false);
    const std::string command = training_ ? "train" : "run";
    return !nearest_names(given, legal).empty()
               ? text
               : text + " (legal: options of tributary " + command + " --help, without --, and parameters)";
  }

  /// `nvswitch.switch.latency: 150ns`, or nested: `nvswitch: { switch: { latency: 150ns } }`.
  void read_parameters(const YamlNode& map, const std::string& prefix) {
    if (!map.is_map())
      fail(map, "parameters: a map of paths to values is expected, for instance nvswitch.link.latency: 20ns");
    for (const auto& [name, one_or_more] : map.entries) {
      const std::string path = prefix + key_of(*name);
      if (one_or_more->is_map()) {
        read_parameters(*one_or_more, path + ".");
        continue;
      }
      const YamlNode& value = choose(path, *one_or_more);
      const std::string assignment = path + "=" + scalar(value, path);
      settings_.add("set", from_scenario(path_, "set", {assignment, place(value) + "parameters"}));
    }
  }

  /// Returns the selected element of an axis, or the value itself if it is not an axis.
  const YamlNode& choose(const std::string& name, const YamlNode& value) {
    if (axes_ == nullptr || !value.is_sequence()) return value;
    const auto texts = [&] {
      std::vector<std::string> all;
      for (const YamlRef& item : value.items) all.push_back(item->is_sequence() ? joined(*item, name) : scalar(*item, name));
      return all;
    };
    return *value.items.at(axes_->choose(name, texts, place(value)));
  }

  Setting setting_of(const std::string& key, const YamlNode& value) const {
    return from_scenario(path_, key, {scalar(value, key), place(value) + key});
  }

  std::string joined(const YamlNode& list, const std::string& key) const {
    std::string text;
    for (const YamlRef& item : list.items) text += (text.empty() ? "" : ",") + scalar(*item, key);
    return text;
  }

  std::string scalar(const YamlNode& node, const std::string& key) const {
    if (!node.is_scalar()) fail(node, key + ": one value is expected");
    return node.text;
  }

  std::string key_of(const YamlNode& node) const {
    if (!node.is_scalar()) fail(node, "a key is a scalar name");
    return node.text;
  }

  const std::vector<OptionRow>& options() const { return training_ ? train_options() : run_options(); }
  const OptionRow& row_of(const std::string& key) const {
    return *std::find_if(options().begin(), options().end(), [&](const OptionRow& row) { return row.name == key; });
  }

  std::vector<std::string> keys(bool in_job) const {
    std::vector<std::string> names;
    for (const OptionRow& row : options())
      if (row.name != "set" && row.name != "jobs" && (!in_job || row.of_job)) names.push_back(row.name);
    if (!in_job) names.push_back("parameters");
    if (!in_job && !training_) names.push_back("jobs");
    if (!in_job && axes_ != nullptr) names.push_back("command");
    return names;
  }

  std::string place(const YamlNode& node) const { return path_ + ":" + std::to_string(node.line) + ": "; }
  [[noreturn]] void fail(const YamlNode& node, const std::string& what) const { throw InputError(place(node) + what); }

  std::string path_;
  Axes* axes_;
  Settings settings_;
  bool training_ = false;
  std::string axis_prefix_;  // prefix of axis names inside one of several jobs
};

}  // namespace

Settings read_scenario(const std::string& path) {
  const std::vector<YamlRef> documents = read_yaml(path);
  if (documents.size() > 1)
    throw InputError(path + ":" + std::to_string(documents[1]->line) +
                     ": a second document (legal: one; several are for tributary sweep)");
  return documents.empty() ? Settings{} : Reader(path).read(*documents.front());
}

Settings settings_of_node(const YamlNode& map, const std::string& path) {
  Axes axes;
  Settings settings = Reader(path, &axes).read(map);
  if (!axes.all().empty())
    throw InputError(path + ":" + std::to_string(map.line) + ": " + axes.all().front().name +
                     ": a list is no value of a run (legal: one value)");
  return settings;
}

SweepFile::SweepFile(const std::string& path) : path_(path) {
  for (const YamlRef& top : read_yaml(path)) {
    documents_.push_back({top, {}});
    Reader(path, &documents_.back().axes).read(*top);
  }
}

ScenarioPoint SweepFile::point(std::size_t document, std::size_t number) {
  Document& from = documents_.at(document);
  from.axes.select(number);
  Reader reader(path_, &from.axes);
  ScenarioPoint point{reader.read(*from.top), {}, reader.training()};
  for (const Axes::Axis& axis : from.axes.all()) point.axes.emplace_back(axis.name, axis.values[axis.chosen]);
  return point;
}

}  // namespace tributary
