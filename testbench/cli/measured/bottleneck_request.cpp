#include "testbench/cli/measured/bottleneck_request.h"

#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>

#include "testbench/cli/requests/carried_algorithms.h"
#include "testbench/cli/requests/choices.h"
#include "testbench/cli/requests/option_text.h"
#include "testbench/cli/requests/output_check.h"
#include "testbench/cli/requests/scenario.h"
#include "testbench/cli/requests/work_items.h"

namespace tributary {
namespace {

constexpr std::size_t most_set_ups = 10000;

std::string value_of(const BottleneckOptions& options, const std::string& name) {
  const auto found = options.values.find(name);
  if (found == options.values.end()) return "";
  if (found->second.size() > 1 && name != "set") throw InputError("--" + name + ": given twice");
  return found->second.front();
}

std::vector<std::string> parts_of(const std::string& option, const std::string& text) {
  std::vector<std::string> parts;
  boost::split(parts, text, boost::is_any_of(","));
  for (const std::string& part : parts)
    if (part.empty()) throw InputError("--" + option + ": '" + text + "' has an empty name");
  return parts;
}

/// Parses `64KiB,1MiB` or `64KiB:1MiB:x4`.
std::vector<std::string> sizes_of(const std::string& text) {
  return with_place("--sizes", [&] {
    std::vector<std::string> sizes;
    for (const std::string& part : parts_of("sizes", text)) {
      if (part.find(':') == std::string::npos)
        sizes.push_back(to_string(parse_bytes(part)));
      else
        for (const Bytes size : parse_sweep(part)) sizes.push_back(to_string(size));
    }
    return sizes;
  });
}

/// Returns the algorithms of a platform that are asked for; an empty name is the default algorithm.
std::vector<std::string> algorithms_of(const BottleneckOptions& options, const std::string& platform, InputFiles& files) {
  const std::string given = value_of(options, "algorithm");
  if (given.empty()) return {""};
  if (given != "all") return parts_of("algorithm", given);
  const std::string collective = value_of(options, "collective");
  std::vector<std::string> names;
  for (const Algorithm& algorithm : carried_algorithms(platform, files))
    if (algorithm.collective == (collective.empty() ? "allreduce" : collective)) names.push_back(algorithm.name);
  if (names.empty()) throw InputError("--algorithm: " + platform + " has no algorithm of " + collective);
  return names;
}

/// Returns the settings that all set-ups share.
Settings common_settings(const BottleneckOptions& options) {
  Settings settings;
  for (const auto& [name, values] : options.values)
    for (const std::string& value : values)
      if (name == "collective" || name == "set" || name == "gpus" || name == "seed" || name == "mode")
        settings.add(name, {value, "--" + name});
  return settings;
}

void add_set_up(BottleneckSetUp set_up, BottleneckRequest& request) {
  request.set_ups.push_back(std::move(set_up));
  if (request.set_ups.size() > most_set_ups)
    throw InputError("more than " + std::to_string(most_set_ups) + " set-ups (legal: fewer names, sizes or points)");
}

/// Adds every combination of platforms, algorithms and sizes.
void add_combinations(const BottleneckOptions& options, const MeasureRequest& effort, BottleneckRequest& request) {
  const std::string platforms = value_of(options, "platform"), sizes = value_of(options, "sizes");
  InputFiles files;
  if (sizes.empty()) throw InputError("--sizes is missing (legal: --sizes 64KiB,1MiB, or a scenario file)");
  for (const std::string& platform : parts_of("platform", platforms.empty() ? "dgx2" : platforms)) {
    find_platform(platform, "--platform", files);
    for (const std::string& algorithm : algorithms_of(options, platform, files))
      for (const std::string& size : sizes_of(sizes)) {
        BottleneckSetUp set_up{platform + (algorithm.empty() ? "" : " " + algorithm) + " " + size, effort};
        Settings settings = common_settings(options);
        settings.add("platform", {platform, "--platform"});
        if (!algorithm.empty()) settings.add("algorithm", {algorithm, "--algorithm"});
        settings.add("size", {size, "--sizes"});
        set_up.request.settings = timing_settings(std::move(settings));
        add_set_up(std::move(set_up), request);
      }
  }
}

/// Adds every point of a scenario file.
void add_points(const BottleneckOptions& options, const MeasureRequest& effort, BottleneckRequest& request) {
  for (const char* name : {"platform", "algorithm", "sizes", "collective", "set", "gpus", "seed", "mode"})
    if (options.values.count(name) != 0)
      throw InputError(std::string("--") + name + " and a scenario file exclude each other");
  SweepFile file(options.scenario);
  for (std::size_t d = 0; d < file.documents(); ++d)
    for (std::size_t i = 0; i < file.axes(d).points(); ++i) {
      const ScenarioPoint point = file.point(d, i);
      if (point.training)
        throw InputError(options.scenario + ": a training has no measured bottleneck (legal: command: run)");
      std::string name;
      for (const auto& [axis, value] : point.axes) name += (name.empty() ? "" : " ") + axis + "=" + value;
      BottleneckSetUp set_up{name.empty() ? options.scenario : name, effort};
      set_up.request.settings = timing_settings(point.settings);
      add_set_up(std::move(set_up), request);
    }
}

/// Checks and sets the files. Returns their settings with those of the effort.
Settings output_settings(const BottleneckOptions& options, BottleneckRequest& request) {
  Settings files, effort;
  const auto file = [&](const char* option, const char* as, std::string& path) {
    path = value_of(options, option);
    if (options.values.count(option) != 0) files.add(as, {path, std::string("--") + option});
  };
  file("json", "json", request.json);
  file("html", "html", request.page);
  file("svg", "bottleneck-svg", request.drawing);
  check_outputs(files);
  request.folder = value_of(options, "out");
  if (options.values.count("out") != 0 && request.folder.empty())
    throw InputError("--out: a folder is missing (legal: a path)");
  for (const char* option : {"budget", "jobs"})
    if (options.values.count(option) != 0) effort.add(option, {value_of(options, option), std::string("--") + option});
  return effort;
}

}  // namespace

const std::vector<BottleneckOption>& bottleneck_options() {
  static const std::vector<BottleneckOption> options{
      {"platform", "NAME[,NAME]", "machines to simulate [unit: names of `list platforms`; default: dgx2]"},
      {"collective", "NAME", "collective operation [unit: a name of `list collectives`; default: allreduce]"},
      {"algorithm", "NAME[,NAME]",
       "algorithms of the collective; all: every algorithm of each platform [unit: names of `list algorithms`; default: the "
       "first of the collective]"},
      {"sizes", "SIZE[,SIZE]",
       "message sizes, each a set-up of its own: 64KiB,1MiB or FROM:TO:xK [unit: B, kB, MB, GB, KiB, MiB, GiB; default: "
       "none]"},
      {"gpus", "N", "number of GPUs that take part [unit: GPUs; default: all of the platform]"},
      {"set", "PATH=VALUE", "parameter of `list parameters` and its value; repeatable [default: none]"},
      {"seed", "N", "random seed [unit: whole number; default: 1]"},
      {"mode", "MODE", "windowed, event or fluid, as for `run` [unit: name; default: windowed]"},
      {"budget", "TIME", "clock time for the reruns of each set-up [unit: ps, ns, us, ms, s; default: 60s]"},
      {"jobs", "N", "reruns that run in parallel [unit: processes; default: number of processors]"},
      {"out", "DIR",
       "folder of the results of reruns, by the keys of `sweep`; finished ones do not run again [unit: path; default: none "
       "are kept]"},
      {"json", "FILE", "findings as JSON; - is standard output [unit: path; default: none]"},
      {"html", "FILE", "web page with all findings and a matrix of gains [unit: path; default: none]"},
      {"svg", "FILE", "drawing of the gains, for a single set-up [unit: path; default: none]"},
  };
  return options;
}

BottleneckRequest make_bottleneck_request(const BottleneckOptions& options) {
  BottleneckRequest request;
  request.quiet = options.quiet;
  MeasureRequest effort;
  set_effort(output_settings(options, request), effort);
  effort.quiet = options.quiet;
  if (options.scenario.empty())
    add_combinations(options, effort, request);
  else
    add_points(options, effort, request);
  if (request.set_ups.empty()) throw InputError(options.scenario + ": the file holds no scenario");
  if (!request.drawing.empty() && request.set_ups.size() > 1)
    throw InputError("--svg: " + std::to_string(request.set_ups.size()) +
                     " set-ups have a drawing each (legal: --html FILE, or one set-up)");
  return request;
}

}  // namespace tributary
