#include "testbench/cli/sweep/sweep_points.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

#include "testbench/cli/requests/file_options.h"
#include "testbench/run/energy/prices.h"
#include "testbench/run/errors.h"
#include "testbench/run/plugin.h"
#include "testbench/run/resolve.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

/// Returns the FNV-1a hash of a text, 64 bits in hexadecimal.
std::string digest(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  char hex[17];
  std::snprintf(hex, sizeof hex, "%016llx", static_cast<unsigned long long>(hash));
  return hex;
}

std::string file_content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Returns the files of an option's or parameter's value, which exist. Plug-ins are listed by their own setting.
std::vector<std::string> files_of(const std::string& name, const std::string& value) {
  const std::string option = name.substr(name.rfind(']') == std::string::npos ? 0 : name.rfind(']') + 2);
  if (option == "plugin") return {};
  std::vector<std::string> files = files_read(option, value);
  if (files.empty()) files = files_read("set", option + "=" + value);
  std::error_code ignored;
  files.erase(std::remove_if(files.begin(), files.end(),
                             [&](const std::string& file) { return !std::filesystem::is_regular_file(file, ignored); }),
              files.end());
  return files;
}

void refuse_outputs(const Settings& settings) {
  std::vector<std::string> options = writing_options();
  options.insert(options.end(), {"trace", "capture", "trace-rtl", "record-block", "record"});
  for (const std::string& option : options)
    if (const Setting* given = settings.find(option))
      throw InputError(given->where + ": a sweep names the files of its points itself (legal: --out DIR)");
}

/// Depends on the paths as the sweep file has them, so not on the folder from which the sweep runs, and on the content of
/// the files. `uses_price` selects the prices that distinguish points: others only price results, at any time.
std::string identity_of(const Settings& settings, std::map<std::string, std::string>& digests,
                        const std::function<bool(const std::string&)>& uses_price) {
  const auto digest_of_file = [&](const std::string& file) {
    const auto found = digests.find(file);
    return found != digests.end() ? found->second : digests.emplace(file, digest(file_content(file))).first->second;
  };
  std::string text = "tributary " TRIBUTARY_VERSION "\n";
  const auto resolved = settings.content(Settings::Paths::resolved);
  for (const auto& [option, value] : settings.content()) {
    if (is_price(option) && !uses_price(option)) continue;
    text += option + ": " + value + "\n";
    for (const std::string& file : files_of(option, resolved.at(option))) text += digest_of_file(file) + "\n";
  }
  for (const Setting& plugin : settings.all("plugin")) text += digest_of_file(plugin_file(plugin.text)) + "\n";
  return digest(text);
}

}  // namespace

std::pair<SweepPoint, PointRun> point_of_settings(const Settings& settings, InputFiles& files) {
  std::map<std::string, std::string> digests;
  const Setting* const command = settings.find("command");
  const bool trains = command != nullptr && command->text == "train";  // a training keeps the prices of its run
  const std::string identity = identity_of(settings, digests, [&](const std::string&) { return trains; });
  std::pair<SweepPoint, PointRun> made{{identity, settings.content()}, {}};
  if (trains) made.second.training = make_train_request(settings, files);
  made.second.request = made.second.training ? made.second.training->run : make_run_request(settings, files);
  made.second.request.output.quiet = true;
  resolve_parameters(made.second.request.spec);
  return made;
}

Sweep::Sweep(const std::string& file)
    : path_(file),
      file_(std::make_shared<SweepFile>(file)),
      files_(std::make_shared<InputFiles>()),
      digests_(std::make_shared<std::map<std::string, std::string>>()) {
  if (file_->documents() == 0)
    throw InputError(file + ": the file holds no scenario (legal: a map of keys; values may be lists)");
  for (std::size_t d = 0; d < file_->documents(); ++d)
    for (const Axes::Axis& axis : file_->axes(d).all())
      if (std::find(axes_.begin(), axes_.end(), axis.name) == axes_.end()) axes_.push_back(axis.name);
  size_ = file_->axes(0).points();
  if (file_->documents() > 1 || !all_differ(0)) read_all();
}

bool Sweep::all_differ(std::size_t document) const {
  std::size_t stride = file_->axes(document).points();
  for (const Axes::Axis& axis : file_->axes(document).all()) {
    stride /= axis.values.size();
    for (std::size_t v = 0; v < std::min<std::size_t>(axis.values.size(), 2); ++v) {
      const auto content = read({document, v * stride}).settings.content();
      const auto found = content.find(axis.name);
      if (found == content.end() || found->second != axis.values[v]) return false;
    }
  }
  return true;
}

void Sweep::read_all() {
  std::set<std::string> ids, different;
  SweepPoint first;
  for (std::size_t d = 0; d < file_->documents(); ++d)
    for (std::size_t i = 0; i < file_->axes(d).points(); ++i) {
      const SweepPoint point = point_of(read({d, i}));
      if (ids.empty()) first = point;
      if (!ids.insert(point.id).second) continue;
      positions_.push_back({d, i});
      for (const SweepPoint* one : {&std::as_const(first), &point})
        for (const auto& [name, text] : one->content)
          if (value(first, name) != value(point, name)) different.insert(name);
    }
  size_ = positions_.size();
  for (const std::string& name : different)
    if (std::find(axes_.begin(), axes_.end(), name) == axes_.end()) axes_.push_back(name);
}

Sweep::Position Sweep::position(std::size_t number) const {
  return positions_.empty() ? Position{0, number} : positions_.at(number);
}

SweepPoint Sweep::point(std::size_t number) const { return point_of(read(position(number))); }

PointRun Sweep::run(std::size_t number) const { return run_of(read(position(number))); }

/// Points may differ in an axis of prices alone. A training keeps the prices of its run.
SweepPoint Sweep::point_of(const ScenarioPoint& read) const {
  const auto uses_price = [&](const std::string& path) {
    return read.training || std::find(axes_.begin(), axes_.end(), path) != axes_.end();
  };
  return {identity_of(read.settings, *digests_, uses_price), read.settings.content()};
}

PointRun Sweep::run_of(const ScenarioPoint& read) const {
  refuse_outputs(read.settings);
  PointRun run;
  if (read.training) run.training = make_train_request(read.settings, *files_);
  run.request = run.training ? run.training->run : make_run_request(read.settings, *files_);
  if (run.request.measure)
    throw InputError(read.settings.find("bottleneck")->where +
                     ": a sweep runs each point once (legal: tributary bottleneck FILE)");
  run.request.output.quiet = true;
  try {
    resolve_parameters(run.request.spec);
  } catch (const SetupError& error) {
    std::string axes;
    for (const auto& [axis, value] : read.axes) axes += (axes.empty() ? " (" : ", ") + axis + "=" + value;
    throw InputError(path_ + ": " + error.what() + (axes.empty() ? "" : axes + ")"));
  }
  return run;
}

Sweep::Renamed Sweep::check(const std::function<bool(std::size_t)>& holds) const {
  Renamed renamed;
  for (std::size_t i = 0; i < size_; ++i) {
    if (!holds(i)) continue;
    const PointRun checked = run(i);
    renamed.insert(checked.request.renamed.begin(), checked.request.renamed.end());
  }
  return renamed;
}

std::vector<Sweep::Position> Sweep::sample() const {
  constexpr std::size_t most = 256;
  std::vector<Position> all;
  for (std::size_t d = 0; d < file_->documents(); ++d) {
    std::size_t longest = 1;
    for (const Axes::Axis& axis : file_->axes(d).all()) longest = std::max(longest, axis.values.size());
    const std::size_t count = std::min(longest, most);
    for (std::size_t i = 0; i < count; ++i) {
      std::size_t number = 0;
      for (const Axes::Axis& axis : file_->axes(d).all()) {
        const std::size_t values = axis.values.size();
        number = number * values + (values <= count ? i % values : i * values / count);
      }
      all.push_back({d, number});
    }
  }
  return all;
}

void Sweep::check_values() const {
  for (const Position at : sample()) run_of(read(at));
}

Settings Sweep::inputs() const {
  Settings inputs;
  std::set<std::string> known;
  for (const Position at : sample()) {
    const ScenarioPoint point = read(at);
    for (const auto& [option, given] : point.settings.all())
      for (const Setting& setting : given)
        if (!files_read(option, setting.text).empty() && known.insert(option + " " + setting.text).second)
          inputs.add(option, setting);
  }
  return inputs;
}

std::string Sweep::value(const SweepPoint& point, const std::string& axis) {
  const auto found = point.content.find(axis);
  return found == point.content.end() ? "" : found->second;
}

}  // namespace tributary
