#pragma once
/// Options as texts with their places, before interpretation.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tributary {

struct Setting {
  std::string text;
  std::string where;         ///< `--size`, or `scenario.yaml:3: size`
  std::string written = {};  ///< text in the scenario file, if `text` holds its path relative to the current folder
};

/// The settings of one source: the command line or a scenario file.
class Settings {
 public:
  void add(const std::string& option, Setting setting) { settings_[option].push_back(std::move(setting)); }

  void remove(const std::string& option) { settings_.erase(option); }

  bool has(const std::string& option) const { return settings_.count(option) != 0; }
  /// Returns null if the option is not given.
  const Setting* find(const std::string& option) const;
  /// Returns the settings of an option in the given order.
  std::vector<Setting> all(const std::string& option) const;
  /// Returns the settings of all options, by option.
  const std::map<std::string, std::vector<Setting>>& all() const { return settings_; }
  bool flag(const std::string& option) const;

  /// The own settings of each of several concurrent jobs; empty for a single job. The other settings hold for all jobs.
  std::vector<Settings>& jobs() { return jobs_; }
  const std::vector<Settings>& jobs() const { return jobs_; }

  /// Throws InputError if an option is repeated, or two options exclude each other.
  void check() const;
  /// Adds the settings of `weaker` for options that are not set. Parameters of both remain, those of `weaker` first. Throws
  /// InputError if `weaker` has several jobs and an option of a single job is set.
  void complete_from(const Settings& weaker);
  enum class Paths : std::uint8_t { as_written, resolved };
  /// Returns every setting that affects results, by option or parameter: equal for settings that describe the same run. The
  /// last value of a repeated parameter wins. `paths` selects between Setting::written and Setting::text.
  std::map<std::string, std::string> content(Paths paths = Paths::as_written) const;

 private:
  std::map<std::string, std::vector<Setting>> settings_;
  std::vector<Settings> jobs_;
};

}  // namespace tributary
