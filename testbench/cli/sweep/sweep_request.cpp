#include "testbench/cli/sweep/sweep_request.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "modules/base/nearest.h"
#include "testbench/cli/requests/option_text.h"
#include "testbench/cli/requests/output_check.h"
#include "testbench/cli/requests/scenario.h"
#include "testbench/cli/sweep/sweep_emit.h"
#include "testbench/run/errors.h"
#include "testbench/run/plugin.h"
#include "testbench/run/resolve.h"

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

/// Returns the content of a layer table, model, graph or plug-in. A changed file makes a new point.
std::string file_content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Returns the files of an option's value: none, one, or the traces of all ranks of a prefix.
std::vector<std::string> files_of(const std::string& option, const std::string& value) {
  const bool named = option == "messages" || option == "model" || option == "training.model" || option == "preset" ||
                     option == "graph" || option == "compute.table";
  std::vector<std::string> files;
  if (!named) return files;
  if (std::filesystem::is_regular_file(value)) files.push_back(value);
  const auto trace = [&](std::size_t rank) { return value + "." + std::to_string(rank) + ".et"; };
  if (option == "graph")
    for (std::size_t rank = 0; std::filesystem::is_regular_file(trace(rank)); ++rank) files.push_back(trace(rank));
  return files;
}

/// Depends on the paths as the sweep file has them, so not on the folder from which the sweep runs.
std::string identity(const Settings& settings, const std::vector<std::string>& plugins) {
  std::string text = "tributary " TRIBUTARY_VERSION "\n";
  const auto resolved = settings.content(Settings::Paths::resolved);
  for (const auto& [option, value] : settings.content()) {
    text += option + ": " + value + "\n";
    for (const std::string& file : files_of(option, resolved.at(option))) text += digest(file_content(file)) + "\n";
  }
  for (const std::string& plugin : plugins) text += digest(file_content(plugin_file(plugin))) + "\n";
  return digest(text);
}

void refuse_outputs(const Settings& settings) {
  for (const char* option : {"json", "csv", "nccl-text", "nccl-json", "report", "vcd", "trace", "pcap", "capture", "html",
                             "perfetto", "perfetto-json", "write-graph"})
    if (const Setting* given = settings.find(option))
      throw InputError(given->where + ": a sweep names the files of its points itself (legal: --out DIR)");
}

SweepPoint make_point(const ScenarioPoint& read, const std::string& file, InputFiles& files) {
  refuse_outputs(read.settings);
  SweepPoint point{"", read.settings.content(), {}, {}};
  if (read.training) point.training = make_train_request(read.settings, files);
  point.request = point.training ? point.training->run : make_run_request(read.settings, files);
  point.id = identity(read.settings, point.request.spec.plugins);
  point.request.output.quiet = true;
  try {
    resolve_parameters(point.request.spec);
  } catch (const SetupError& error) {
    std::string axes;
    for (const auto& [axis, value] : read.axes) axes += (axes.empty() ? " (" : ", ") + axis + "=" + value;
    throw InputError(file + ": " + error.what() + (axes.empty() ? "" : axes + ")"));
  }
  return point;
}

/// Adds settings that differ between documents, which distinguish points as axes do.
void add_differences(Sweep& sweep) {
  std::set<std::string> names;
  for (const SweepPoint& point : sweep.points)
    for (const auto& [name, value] : point.content) names.insert(name);
  for (const std::string& name : names) {
    if (std::find(sweep.axes.begin(), sweep.axes.end(), name) != sweep.axes.end()) continue;
    const std::string first = Sweep::value(sweep.points.front(), name);
    if (std::any_of(sweep.points.begin(), sweep.points.end(),
                    [&](const SweepPoint& point) { return Sweep::value(point, name) != first; }))
      sweep.axes.push_back(name);
  }
}

std::size_t count_of(const SweepOptions& options, const std::string& option, std::size_t least, std::size_t most) {
  return with_place("--" + option, [&] { return parse_count_within(options.at(option), least, most); });
}

/// Parses `3`, or `3:5` from the first to the last point.
PointRange range_of(const std::string& text, std::size_t points) {
  return with_place("--index", [&] {
    const std::size_t colon = text.find(':');
    const std::size_t first = parse_count_within(text.substr(0, colon), 0, points - 1);
    if (colon == std::string::npos) return PointRange{first, first};
    return PointRange{first, parse_count_within(text.substr(colon + 1), first, points - 1)};
  });
}

}  // namespace

std::string Sweep::value(const SweepPoint& point, const std::string& axis) {
  const auto found = point.content.find(axis);
  return found == point.content.end() ? "" : found->second;
}

Sweep make_sweep(const std::string& file) {
  Sweep sweep;
  std::set<std::string> known;
  InputFiles files;
  for (const ScenarioPoint& read : read_sweep(file)) {
    for (const auto& [axis, value] : read.axes)
      if (std::find(sweep.axes.begin(), sweep.axes.end(), axis) == sweep.axes.end()) sweep.axes.push_back(axis);
    SweepPoint point = make_point(read, file, files);
    if (known.insert(point.id).second) sweep.points.push_back(std::move(point));  // two products may contain the same point
  }
  add_differences(sweep);
  if (sweep.points.empty())
    throw InputError(file + ": the file holds no scenario (legal: a map of keys; values may be lists)");
  return sweep;
}

SweepRequest make_sweep_request(const std::string& file, const SweepOptions& options, const Environment& environment) {
  const auto given = [&](const char* option) { return options.count(option) != 0; };
  if (file.empty()) throw InputError("a scenario file is missing (legal: tributary sweep FILE.yaml --out DIR)");
  SweepRequest request;
  request.file = file;
  if (given("list") && given("join")) throw InputError("--list and --join exclude each other");
  if (given("list")) request.action = SweepAction::list;
  if (given("join")) request.action = SweepAction::join;
  if (given("emit")) {
    if (given("list") || given("join")) throw InputError("--emit and --list or --join exclude each other");
    request.action = SweepAction::emit;
    request.scheduler = options.at("emit");
    if (std::find(schedulers().begin(), schedulers().end(), request.scheduler) == schedulers().end())
      throw InputError("--emit: " + unknown_name("scheduler", request.scheduler, schedulers()));
  }
  if (given("index") && given("shard")) throw InputError("--index and --shard exclude each other");
  for (const char* option : {"index", "shard"})
    if (request.action != SweepAction::run && given(option))
      throw InputError("--" + std::string(option) + " and --" +
                       (given("list")   ? "list"
                        : given("join") ? "join"
                                        : "emit") +
                       " exclude each other");
  if (given("out")) request.folder = options.at("out");
  if (request.folder.empty() && (given("out") || request.action != SweepAction::list))
    throw InputError("--out DIR is missing (legal: a folder for the results)");
  if (given("jobs")) request.jobs = count_of(options, "jobs", 1, 4096);
  if (given("shard")) request.shard = with_place("--shard", [&] { return parse_shard(options.at("shard"), environment); });
  request.quiet = given("quiet");
  request.sweep = make_sweep(file);
  if (given("index")) request.index = range_of(options.at("index"), request.sweep.points.size());
  if (given("html")) {
    request.page = options.at("html");
    if (!request.whole() || request.action == SweepAction::list || request.action == SweepAction::emit)
      throw InputError("--html requires the table of all points (legal without --list, --emit, --index and --shard)");
    Settings files;
    files.add("html", {request.page, "--html"});
    check_outputs(files);
  }
  return request;
}

}  // namespace tributary
