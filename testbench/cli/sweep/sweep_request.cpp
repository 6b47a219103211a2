#include "testbench/cli/sweep/sweep_request.h"

#include <algorithm>
#include <filesystem>

#include "modules/base/nearest.h"
#include "testbench/cli/requests/option_text.h"
#include "testbench/cli/requests/output_check.h"
#include "testbench/cli/sweep/sweep_emit.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

/// Returns the files of the command. The folder of the results may not exist yet.
Settings files_of(const SweepRequest& request) {
  Settings files = request.sweep.inputs();
  files.add("scenario", {request.file, "SCENARIO"});
  if (!request.page.empty()) files.add("html", {request.page, "--html"});
  const std::string table = request.folder + "/results.csv";
  std::error_code ignored;
  if (request.whole() && request.action != SweepAction::list && std::filesystem::exists(table, ignored))
    files.add("csv", {table, "--out"});
  return files;
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
  request.sweep = Sweep(file);
  if (given("index")) request.index = range_of(options.at("index"), request.sweep.size());
  if (given("html")) request.page = options.at("html");
  request.energy = given("energy");
  for (const char* option : {"html", "energy"})
    if (given(option) && (!request.whole() || request.action == SweepAction::list || request.action == SweepAction::emit))
      throw InputError("--" + std::string(option) +
                       " requires the table of all points (legal without --list, --emit, --index and --shard)");
  if (request.action == SweepAction::run)
    request.renamed = request.sweep.check([&](std::size_t point) { return request.holds(point); });
  else
    request.sweep.check_values();
  check_outputs(files_of(request));
  return request;
}

}  // namespace tributary
