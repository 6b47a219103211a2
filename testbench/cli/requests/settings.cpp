#include "testbench/cli/requests/settings.h"

#include "testbench/cli/requests/option_table.h"
#include "testbench/workload/input_error.h"

namespace tributary {

const Setting* Settings::find(const std::string& option) const {
  const auto found = settings_.find(option);
  return found == settings_.end() ? nullptr : &found->second.front();
}

std::vector<Setting> Settings::all(const std::string& option) const {
  const auto found = settings_.find(option);
  return found == settings_.end() ? std::vector<Setting>{} : found->second;
}

bool Settings::flag(const std::string& option) const {
  const Setting* setting = find(option);
  if (setting == nullptr || setting->text == "false") return false;
  if (setting->text != "true") throw InputError(setting->where + ": '" + setting->text + "' (legal: true or false)");
  return true;
}

void Settings::check() const {
  std::map<std::string, const Setting*> chosen;  // first option of each choice
  for (const OptionRow& row : run_options()) {
    const auto found = settings_.find(row.name);
    if (found == settings_.end()) continue;
    const auto& given = found->second;
    if (given.size() > 1 && row.kind != OptionKind::list) throw InputError(given[1].where + ": given twice");
    if (row.choice.empty()) continue;
    const auto [other, first] = chosen.emplace(row.choice, &given.front());
    if (!first) throw InputError(given.front().where + " and " + other->second->where + " exclude each other");
  }
  for (const Settings& job : jobs_) job.check();
}

void Settings::complete_from(const Settings& weaker) {
  for (const OptionRow& row : run_options())
    if (!weaker.jobs_.empty() && row.of_job && has(row.name))
      throw InputError(find(row.name)->where +
                       ": the scenario has several concurrent jobs (legal in the entry of each job)");
  if (jobs_.empty()) jobs_ = weaker.jobs_;
  std::map<std::string, bool> decided;  // choices that are set here
  for (const OptionRow& row : run_options())
    if (!row.choice.empty() && has(row.name)) decided[row.choice] = true;
  for (const auto& [option, given] : weaker.settings_) {
    if (option == "set") {
      auto& own = settings_[option];
      own.insert(own.begin(), given.begin(), given.end());
      continue;
    }
    const OptionRow* const row = find_run_option(option);  // null for the name of the scenario itself
    if (!has(option) && (row == nullptr || !decided.count(row->choice))) settings_[option] = given;
  }
}

std::map<std::string, std::string> Settings::content(Paths paths) const {
  std::map<std::string, std::string> content;
  for (const auto& [option, given] : settings_) {
    if (option == "quiet" || option == "log-level" || option == "cost" || option == "energy" || option == "print-tuner" ||
        option == "bottleneck")
      continue;
    for (const Setting& setting : given) {
      const std::string& text = paths == Paths::resolved || setting.written.empty() ? setting.text : setting.written;
      const auto equals = text.find('=');
      if (option == "set" && equals != std::string::npos)
        content[text.substr(0, equals)] = text.substr(equals + 1);
      else
        content[option] += (&setting == &given.front() ? "" : " ") + text;
    }
  }
  for (std::size_t j = 0; j < jobs_.size(); ++j)
    for (const auto& [option, value] : jobs_[j].content(paths)) content["jobs[" + std::to_string(j) + "]." + option] = value;
  return content;
}

}  // namespace tributary
