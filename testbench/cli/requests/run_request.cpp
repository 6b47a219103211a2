#include "testbench/cli/requests/run_request.h"

#include <algorithm>
#include <iostream>
#include <map>

#include "testbench/cli/requests/against_request.h"
#include "testbench/cli/requests/block_checks.h"
#include "testbench/cli/requests/choices.h"
#include "testbench/cli/requests/disturbances.h"
#include "testbench/cli/requests/link_globs.h"
#include "testbench/cli/requests/option_text.h"
#include "testbench/cli/requests/output_check.h"
#include "testbench/cli/requests/platform_file.h"
#include "testbench/cli/requests/record_request.h"
#include "testbench/cli/requests/rtl_traces.h"
#include "testbench/cli/requests/run_jobs.h"
#include "testbench/cli/requests/setting_text.h"
#include "testbench/cli/requests/trace_options.h"
#include "testbench/run/facets/algorithms.h"
#include "testbench/run/facets/schedule_files.h"
#include "testbench/run/one_lane.h"
#include "testbench/run/plugin.h"
#include "testbench/run/thread_choice.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

Setting setting_or(const Settings& settings, const std::string& option, const std::string& standard) {
  const Setting* given = settings.find(option);
  return given ? *given : Setting{standard, "--" + option};
}

void set_iterations(const Settings& settings, RunSpec& spec) {
  with(settings, "iterations", [&](const std::string& text) {
    spec.iterations = static_cast<unsigned>(parse_count_within(text, 1, 1000));
    if (spec.layer_total)
      throw InputError(
          "the layers of a table run once, and have a row for their total (legal with --size, --sizes or --one-shot)");
  });
}

void add_globs(const Settings& settings, const std::string& option, const RunSpec& spec, std::vector<std::string>& globs) {
  if (!settings.has(option)) return;
  const topology::Graph graph = family_of(spec.platform).graph_of_run(spec);
  with(settings, option, [&](const std::string& text) {
    const std::vector<std::string> selected = probe_globs(text, graph);
    globs.insert(globs.end(), selected.begin(), selected.end());
  });
}

void set_capture(const Settings& settings, RunSpec& spec) {
  with(settings, "pcap", [&](const std::string& text) { spec.capture.file = text; });
  add_globs(settings, "capture", spec, spec.capture.globs);
  if (settings.has("capture") && !settings.has("pcap"))
    throw InputError(settings.find("capture")->where + " requires --pcap FILE");
  if (settings.has("pcap") && family_of(spec.platform).facets().capture == nullptr)
    refuse_platform(settings, "pcap", "the bytes of packets are not modelled on " + spec.platform.name(),
                    platform_kinds_with(&FamilyFacets::capture));
}

void set_modes(const Settings& settings, RunSpec& spec) {
  if (!family_of(spec.platform).has_packets()) spec.mode = SimulationMode::fluid;
  with(settings, "mode", [&](const std::string& text) {
    spec.mode = parse_name<SimulationMode>(
        text, {{"windowed", SimulationMode::windowed}, {"event", SimulationMode::event}, {"fluid", SimulationMode::fluid}});
  });
  with(settings, "data", [&](const std::string& text) {
    spec.data = parse_name<DataMode>(text, {{"exact", DataMode::exact}, {"random", DataMode::random}});
  });
  if (settings.flag("no-data")) spec.data = DataMode::none;
  spec.wire_latency = settings.flag("wire-latency");
  if (settings.has("fault")) set_faults(settings, spec);
  with(settings, "seed", [&](const std::string& text) { spec.seed = parse_count(text, ~std::uint64_t{0}); });
  with(settings, "time-limit", [&](const std::string& text) {
    spec.time_limit = parse_time(text);
    if (spec.time_limit->value == 0)
      throw InputError("a time limit of 0 stops the run before it starts (legal: at least 1ps)");
  });
}

std::string one_lane_note(const std::string& threads, const std::string& why) {
  return "--threads " + threads + ": the run uses one thread, because " + why;
}

/// Reads --threads once all options that may need one lane are known.
void set_threads(const Settings& settings, RunSpec& spec) {
  constexpr std::uint64_t most = 256;
  spec.threads = 0;
  with(settings, "threads", [&](const std::string& text) {
    spec.threads = static_cast<unsigned>(parse_count_within(text, 0, most));
    if (spec.threads == 0) spec.threads = processors_of_process();
    if (const std::string why = one_lane_because(spec); spec.threads > 1 && !why.empty())
      spec.notes.push_back(one_lane_note(text, why));
  });
  spec.lane_times = settings.flag("lane-times");
}

void set_outputs(const Settings& settings, RunRequest& request) {
  OutputSpec& output = request.output;
  TraceSpec& trace = request.spec.trace;
  with(settings, "json", [&](const std::string& text) { output.json = text; });
  with(settings, "csv", [&](const std::string& text) { output.csv = text; });
  with(settings, "nccl-text", [&](const std::string& text) { output.nccl_text = text; });
  with(settings, "nccl-json", [&](const std::string& text) { output.nccl_json = text; });
  with(settings, "report", [&](const std::string& text) { output.report = text; });
  with(settings, "vcd", [&](const std::string& text) { trace.file = text; });
  add_globs(settings, "trace", request.spec, trace.globs);
  set_block(settings, request.spec);
  set_capture(settings, request.spec);
  set_record(settings, request);
  if (settings.has("trace") && !settings.has("vcd") && !request.spec.record.timeline.asked())
    throw InputError(settings.find("trace")->where + " requires --vcd FILE, --perfetto FILE or --perfetto-json FILE");
  if (settings.has("vcd") && trace.globs.empty()) trace.globs = {"*"};
  output.quiet = settings.flag("quiet");
  output.cost = settings.flag("cost");
  if (output.cost && family_of(request.spec.platform).facets().cost == nullptr)
    refuse_platform(settings, "cost", "no cost model exists for " + request.spec.platform.name(),
                    platform_kinds_with(&FamilyFacets::cost));
  output.energy = settings.flag("energy");
  if (output.energy && family_of(request.spec.platform).facets().energy == nullptr)
    refuse_platform(settings, "energy", "energy is not modelled on " + request.spec.platform.name(),
                    platform_kinds_with(&FamilyFacets::energy));
  output.tuner = settings.flag("print-tuner");
  if (output.tuner && family_of(request.spec.platform).facets().tuner == nullptr)
    refuse_platform(settings, "print-tuner", "no tuner is modelled for " + request.spec.platform.name(),
                    platform_kinds_with(&FamilyFacets::tuner));
  with(settings, "log-level", [&](const std::string& text) {
    const std::vector<std::string> levels{"trace", "debug", "info", "warn", "error", "critical", "off"};
    std::vector<std::pair<std::string, std::string>> names;
    for (const std::string& level : levels) names.emplace_back(level, level);
    output.log_level = parse_name(text, names);
    if (output.log_level == "trace") follow_first_block(settings, request.spec);
  });
  check_outputs(settings);
}

/// Returns the attributes of schedules of files that the run does not follow.
std::vector<std::string> warnings_of_schedules(const RunSpec& spec, InputFiles& files) {
  std::vector<std::string> lines;
  const FamilyScheduleFiles* const importer = family_of(spec.platform).facets().schedule_files;
  for (const JobSpec& job : spec.jobs) {
    if (job.imported == nullptr || importer == nullptr) continue;
    const msccl::ImportedSchedule& file = files.schedule({job.algorithm, "--algorithm"}, *importer);
    for (const WorkItem& item : job.items)
      for (const std::string& line : msccl::without_effect(file, item.size))
        if (const std::string text = job.algorithm + ": " + line; std::find(lines.begin(), lines.end(), text) == lines.end())
          lines.push_back(text);
  }
  return lines;
}

}  // namespace

RunRequest make_run_request(const Settings& settings) {
  InputFiles files;
  return make_run_request(settings, files);
}

RunRequest make_run_request(const Settings& settings, InputFiles& files) {
  RunRequest request;
  RunSpec& spec = request.spec;
  spec.trees = files.trees();
  const Setting platform = setting_or(settings, "platform", spec.platform.name());
  spec.platform = find_platform(with_file_options(settings, platform.text), platform.where, files);
  request.strict = settings.flag("strict");
  const ParameterSet parameters = spec.parameters.fields();
  with(settings, "set", [&](const std::string& text) {
    parameters.set_assignment(text);
    const std::string path = text.substr(0, text.find('='));
    if (const std::string now = parameters.current(path); now != path) request.renamed[path] = now;
  });
  spec.rtl_traces = make_rtl_traces(settings);
  spec.blocks.trace_rtl(spec.rtl_traces);
  with(settings, "plugin", [&](const std::string& text) {
    load_plugin(text, spec.blocks);
    spec.plugins.push_back(text);
  });
  set_modes(settings, spec);
  set_background(settings, spec);
  set_jobs(settings, files, spec);
  if (const FamilyAlgorithms* algorithms = family_of(spec.platform).facets().algorithms) algorithms->admit(spec);
  request.warnings = warnings_of_schedules(spec, files);
  set_iterations(settings, spec);
  set_block_checks(settings, spec);
  set_outputs(settings, request);
  set_threads(settings, spec);
  with(settings, "against", [&](const std::string&) {
    const Setting& against = *settings.find("against");
    for (const std::string& algorithm : algorithms_against(against, spec))
      request.against.push_back(run_against(against, spec, algorithm));
  });
  request.measure = make_measure_request(settings);
  return request;
}

void print_renamed(const std::map<std::string, std::string>& renamed) {
  for (const auto& [path, now] : renamed) std::cerr << "tributary: note: " << path << " was renamed: use " << now << "\n";
}

void print_warnings(const RunRequest& request) {
  if (request.strict && !request.warnings.empty()) throw InputError(request.warnings.front() + " (--strict)");
  for (const std::string& line : request.warnings) std::cerr << "tributary: warning: " << line << '\n';
}

void print_notes(const RunRequest& request) {
  for (const std::string& note : request.spec.notes)
    if (!request.output.quiet) std::cerr << "tributary: note: " << note << "\n";
}

void print_one_lane(const RunRequest& request, const std::string& why) {
  if (why.empty() || request.spec.threads == 0 || request.output.quiet) return;
  std::cerr << "tributary: note: " << one_lane_note(std::to_string(request.spec.threads), why) << "\n";
}

RunSpec default_run(const Setting& platform) {
  InputFiles files;
  return default_run(platform, files);
}

RunSpec default_run(const Setting& platform, InputFiles& files) {
  Settings settings;
  settings.add("platform", platform);
  settings.add("size", {"128B", "--size"});
  settings.add("mode", {"windowed", "--mode"});
  return make_run_request(settings, files).spec;
}

}  // namespace tributary
