#include "testbench/cli/measured/measure_request.h"

#include <algorithm>
#include <thread>

#include "testbench/cli/option_groups.h"
#include "testbench/cli/requests/option_text.h"

namespace tributary {
namespace {

constexpr std::size_t most_jobs = 4096;

void refuse_without_measure(const Settings& settings) {
  for (const char* option : {"budget", "jobs", "bottleneck-svg"})
    if (const Setting* given = settings.find(option)) throw InputError(given->where + " requires --bottleneck measured");
}

}  // namespace

Settings timing_settings(Settings settings) {
  for (const auto& [title, options] : option_groups("run"))
    if (title == "Output" || title == "Bottleneck" || title == "Blocks" || title == "Observation")
      for (const std::string& option : options) settings.remove(option);
  settings.remove("data");
  settings.remove("no-data");
  settings.add("no-data", {"true", "--no-data"});
  return settings;
}

void set_effort(const Settings& settings, MeasureRequest& request) {
  if (const Setting* budget = settings.find("budget")) {
    const Time time = with_place(budget->where, [&] { return parse_time(budget->text); });
    if (time < 1_ms) throw InputError(budget->where + ": '" + budget->text + "' is too short (legal: at least 1ms)");
    request.budget_s = static_cast<double>(time.value) * 1e-12;
    request.budget_given = true;
  }
  request.jobs = std::max(1U, std::thread::hardware_concurrency());
  if (const Setting* jobs = settings.find("jobs"))
    request.jobs = with_place(jobs->where, [&] { return parse_count_within(jobs->text, 1, most_jobs); });
}

std::optional<MeasureRequest> make_measure_request(const Settings& settings) {
  const Setting* kind = settings.find("bottleneck");
  const bool measured = kind != nullptr && with_place(kind->where, [&] {
                          return parse_name<bool>(kind->text, {{"line", false}, {"measured", true}});
                        });
  if (!measured) return refuse_without_measure(settings), std::nullopt;
  MeasureRequest request;
  set_effort(settings, request);
  if (const Setting* drawing = settings.find("bottleneck-svg")) request.drawing = drawing->text;
  request.quiet = settings.flag("quiet");
  request.settings = timing_settings(settings);
  return request;
}

}  // namespace tributary
