#pragma once
/// Options as texts with the place they came from, before anything is interpreted.

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

/// What one source (command line or scenario file) says.
class Settings {
 public:
  void add(const std::string& option, Setting setting) { settings_[option].push_back(std::move(setting)); }

  bool has(const std::string& option) const { return settings_.count(option) != 0; }
  /// Null when not given.
  const Setting* find(const std::string& option) const;
  /// In the order given.
  std::vector<Setting> all(const std::string& option) const;
  bool flag(const std::string& option) const;

  /// What each of several jobs at once says of itself; empty for a single job. What stands beside them holds for all.
  std::vector<Settings>& jobs() { return jobs_; }
  const std::vector<Settings>& jobs() const { return jobs_; }

  /// Throws InputError: an option twice, or two that exclude each other.
  void check() const;
  /// Adds what `weaker` says and this does not; parameters of both stay, those of `weaker` first. Throws InputError when
  /// `weaker` has several jobs and this speaks of one.
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
