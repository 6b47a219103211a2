#include "testbench/cli/measured/measured_search.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "modules/base/text_format.h"
#include "testbench/cli/measured/named_parameters.h"
#include "testbench/cli/measured/rerun_pool.h"
#include "testbench/measure/bottleneck_search.h"
#include "testbench/report/sweep_table.h"
#include "testbench/report/time_used.h"
#include "testbench/run/energy/prices.h"
#include "testbench/run/family.h"
#include "testbench/run/resolve.h"

namespace tributary {
namespace {

/// Returns the parameter with the bytes of one unit of a shape that counts pieces; empty if there is none.
std::string piece_of(const std::string& path) {
  return path == "netreduce.flow_control.message_packets" ? "netreduce.nic.mtu" : "";
}

/// Returns the bytes of the largest message.
double largest_message(const RunSpec& spec) {
  double most = 0;
  for (const JobSpec& job : spec.jobs)
    for (const WorkItem& item : job.items) most = std::max(most, static_cast<double>(item.size.value));
  return most;
}

/// Returns the parameters of the platform except those of the watchdog and prices.
std::vector<measure::Parameter> parameters_of(const RunSpec& spec) {
  RunParameters asked = spec.parameters, used = resolve_parameters(spec);
  const Family& family = family_of(spec.platform);
  const auto accepts = [&](const std::string& path) {
    return has_parameter(family, path) && path.rfind("watchdog.", 0) != 0 && !is_price(path);
  };
  return measure::movable_parameters(asked.fields(), used.fields(), accepts, piece_of);
}

std::string duration(double s) {
  return s < 90 ? fixed(s, s < 9.95 ? 1 : 0) + " s" : s < 5400 ? fixed(s / 60, 0) + " min" : fixed(s / 3600, 1) + " h";
}

std::string estimate(const MeasureRequest& request, std::size_t runs, double run_s) {
  const double s = static_cast<double>(runs) * run_s / static_cast<double>(request.jobs);
  return "about " + std::to_string(runs) + " reruns" + (run_s > 0 ? ", " + duration(s) : "") + " with " +
         std::to_string(request.jobs) + (request.jobs == 1 ? " process" : " processes");
}

/// Runs the unchanged run once; the search finds its result in the folder.
KnownRun known_from_rerun(const SweepPoint& base, const SweepFolder& folder, RerunPool& pool) {
  const TimeUsed used;
  pool.run({measure::Trial{}});
  KnownRun known{used.wall_s(), {}};
  if (const auto document = folder.finished(base)) known.named = named_parameters(result_rows(*document).back());
  return known;
}

}  // namespace

MeasuredFinding search_bottleneck(const MeasureRequest& request, const SweepFolder& folder, const KnownRun& run) {
  InputFiles files;
  const auto [base, base_run] = point_of_settings(request.settings, files);
  const std::vector<measure::Parameter> parameters = parameters_of(base_run.request.spec);
  const bool progress = !request.quiet && isatty(STDERR_FILENO) == 1;
  std::size_t expected = 0;
  RerunPool pool(request, folder, [&](std::size_t count) {
    if (progress)
      std::fprintf(stderr, "\r\033[Kmeasuring the bottleneck: %zu of about %zu reruns", count, std::max(count, expected));
  });
  const KnownRun known = run.wall_s > 0 ? run : known_from_rerun(base, folder, pool);
  measure::BottleneckSearch search(parameters, known.named, pool, largest_message(base_run.request.spec));
  expected = search.expected_runs();
  if (known.wall_s > MeasureRequest::longest_run_s && !request.budget_given) {
    MeasuredFinding refused;
    refused.finding.reason = "the run took " + duration(known.wall_s) + "; " + estimate(request, expected, known.wall_s) +
                             " (legal: --budget TIME)";
    return refused;
  }
  if (!request.quiet)
    std::cerr << "tributary: measuring the bottleneck: " << estimate(request, expected, known.wall_s) << "; budget "
              << duration(request.budget_s) << "; Ctrl-C ends it and prints what is known\n"
              << std::flush;
  MeasuredFinding measured{search.run(), pool.ended()};
  if (progress) std::fputs("\r\033[K", stderr);
  return measured;
}

}  // namespace tributary
