#include "testbench/cli/requests/run_request.h"

#include <algorithm>
#include <charconv>
#include <iostream>
#include <map>

#include "modules/base/nearest.h"
#include "testbench/cli/requests/choices.h"
#include "testbench/cli/requests/job_algorithm.h"
#include "testbench/cli/requests/link_globs.h"
#include "testbench/cli/requests/option_text.h"
#include "testbench/cli/requests/output_check.h"
#include "testbench/cli/requests/platform_file.h"
#include "testbench/cli/requests/rank_list.h"
#include "testbench/cli/requests/record_request.h"
#include "testbench/cli/requests/trace_options.h"
#include "testbench/cli/requests/work_items.h"
#include "testbench/run/facets/algorithms.h"
#include "testbench/run/facets/background.h"
#include "testbench/run/facets/frames.h"
#include "testbench/run/facets/link_faults.h"
#include "testbench/run/facets/placement.h"
#include "testbench/run/plugin.h"
#include "testbench/workload/collective.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

constexpr Time latest_start = 1000_ms;

/// Runs `interpret` on the text of an option. An error begins with the option's place.
template <class F>
void with(const Settings& settings, const std::string& option, F interpret) {
  for (const Setting& setting : settings.all(option)) with_place(setting.where, [&] { interpret(setting.text); });
}

template <class E>
std::vector<std::pair<std::string, E>> names_of() {
  std::vector<std::pair<std::string, E>> names;
  for (const auto& [value, name] : EnumNames<E>::names()) names.emplace_back(name, value);
  return names;
}

Setting setting_or(const Settings& settings, const std::string& option, const std::string& standard) {
  const Setting* given = settings.find(option);
  return given ? *given : Setting{standard, "--" + option};
}

void set_ranks(const Settings& settings, const Family& family, const RunSpec& spec, JobSpec& job) {
  const EndpointWords words = family.endpoint_of(spec.platform);
  const PlatformName platform = family.platform(spec.platform);
  const FamilyPlacement& placement = placement_of(family);
  int count = placement.participants(spec, job);
  with(settings, "gpus", [&](const std::string& text) { count = parse_rank_count(text, platform.endpoints, words.plural); });
  job.ranks = placement.place(spec, count);
  with(settings, "ranks", [&](const std::string& text) {
    placement.check_rank_list(spec);
    job.ranks = parse_rank_list(text, platform.endpoints, words.singular);
  });
}

/// Returns the names of the collectives that have the trait.
std::vector<std::string> collectives_with(bool Collective::*trait) {
  std::vector<std::string> names;
  for (const Collective& c : collectives())
    if (c.*trait) names.emplace_back(c.name);
  return names;
}

void set_root(const Settings& settings, JobSpec& job) {
  with(settings, "root", [&](const std::string& text) {
    if (!collective_of(job.collective).rooted)
      throw InputError(job.collective + " has no root (legal with " + join_names(collectives_with(&Collective::rooted)) +
                       ")");
    const std::uint64_t root = parse_count(text, ~std::uint64_t{0});
    if (root >= job.ranks.size())
      throw InputError("the job has no rank " + text + " (legal: 0 to " + std::to_string(job.ranks.size() - 1) + ")");
    job.root = static_cast<int>(root);
  });
}

/// Sets the targets of a multicast. Its group is the root and the targets, at least two ranks.
void set_targets(const Settings& settings, JobSpec& job) {
  const bool targeted = collective_of(job.collective).targeted;
  with(settings, "targets", [&](const std::string& text) {
    if (!targeted)
      throw InputError(job.collective + " has no targets (legal with " +
                       join_names(collectives_with(&Collective::targeted)) + ")");
    job.targets = parse_targets(text, static_cast<int>(job.ranks.size()));
    if (job.targets == std::vector<int>{job.root})
      throw InputError("the only target is the root, rank " + text + " (legal: at least one other rank)");
  });
  if (targeted && !settings.has("targets"))
    throw InputError("--collective: a " + job.collective + " requires --targets LIST, the ranks that receive (legal: 0 to " +
                     std::to_string(job.ranks.size() - 1) + ")");
}

/// Makes a job from its own settings only.
JobSpec make_job(const Settings& settings, InputFiles& files, RunSpec& spec) {
  JobSpec job;
  const Family& family = family_of(spec.platform);
  const std::optional<FileAlgorithm> file = set_algorithm(settings, family, spec.platform, files, job);
  set_ranks(settings, family, spec, job);
  with(settings, "dtype", [&](const std::string& text) { job.type = parse_name(text, names_of<ElementType>()); });
  with(settings, "op", [&](const std::string& text) {
    job.op = parse_name(text, names_of<ReduceOp>());
    if (!collective_of(job.collective).reduces)
      throw InputError(job.collective + " reduces nothing (legal with " +
                       join_names(collectives_with(&Collective::reduces)) + ")");
  });
  set_root(settings, job);
  if (file) fit_to_file(settings, family, spec, *file, job);
  set_targets(settings, job);
  with(settings, "start", [&](const std::string& text) {
    job.start = parse_time(text);
    if (job.start > latest_start) throw InputError(text + " is too late (legal: up to " + to_string(latest_start) + ")");
  });
  with(settings, "skew", [&](const std::string& text) { job.skew = parse_skew(text, job.ranks.size(), latest_start); });
  const bool layers = set_work_items(settings, files, job);
  spec.layer_total = layers && !settings.flag("one-shot");
  return job;
}

/// Refuses an endpoint of two jobs at the place of the later one.
void check_disjoint(const Settings& settings, const RunSpec& spec) {
  const EndpointWords words = family_of(spec.platform).endpoint_of(spec.platform);
  std::map<int, std::size_t> job_of;
  for (std::size_t j = 0; j < settings.jobs().size(); ++j)
    for (const int endpoint : spec.jobs[j].ranks) {
      const auto [other, first] = job_of.emplace(endpoint, j);
      if (first || other->second == j) continue;
      const Settings& own = settings.jobs()[j];
      const Setting* place = own.has("ranks") ? own.find("ranks") : own.find("gpus");
      if (place == nullptr && !own.all().empty()) place = &own.all().begin()->second.front();
      throw InputError((place != nullptr ? place->where + ": jobs " : "jobs ") + std::to_string(other->second) + " and " +
                       std::to_string(j) + " both use " + words.device + std::to_string(endpoint) +
                       " (legal: concurrent jobs on disjoint " + words.plural + ", by ranks)");
    }
}

/// Makes each job as if it were alone, from its own keys and the keys that hold for all jobs.
void set_jobs(const Settings& settings, InputFiles& files, RunSpec& spec) {
  const auto add = [&](const Settings& job) {
    spec.jobs.push_back(make_job(job, files, spec));
    const std::string note = note_of_default(job, spec.platform, spec.jobs.back());
    if (!note.empty() && (spec.notes.empty() || spec.notes.back() != note)) spec.notes.push_back(note);
  };
  Settings common = settings;
  common.jobs().clear();
  spec.jobs.clear();
  for (const Settings& own : settings.jobs()) {
    Settings one = own;
    one.complete_from(common);
    for (const char* many : {"sizes", "messages"})
      if (const Setting* given = one.find(many))
        throw InputError(given->where + ": each of several concurrent jobs has one message (legal: size)");
    add(one);
  }
  if (settings.jobs().empty()) add(common);
  check_disjoint(settings, spec);
}

void set_iterations(const Settings& settings, RunSpec& spec) {
  with(settings, "iterations", [&](const std::string& text) {
    spec.iterations = static_cast<unsigned>(parse_count_within(text, 1, 1000));
    if (spec.layer_total)
      throw InputError(
          "the layers of a table run once, and have a row for their total (legal with --size, --sizes or --one-shot)");
  });
}

/// Parses `uniform:0.2` or, on platforms with incast, `incast:0.5@3`.
void set_background(const Settings& settings, RunSpec& spec) {
  with(settings, "background", [&](const std::string& text) {
    const Family& family = family_of(spec.platform);
    const FamilyBackground* const background = family.facets().background;
    const int targets = background != nullptr ? background->targets(spec.platform) : 0;
    const bool incasts = targets > 0;
    const std::string legal = std::string(" (legal: uniform:LOAD") + (incasts ? " or incast:LOAD@HOST, LOAD" : ",") +
                              " above 0 and at most 1, for instance " + (incasts ? "incast:0.2@3)" : "uniform:0.2)");
    const std::size_t colon = text.find(':'), at = text.find('@');
    const bool incast = incasts && text.substr(0, colon) == "incast";
    if (colon == std::string::npos || (!incast && text.substr(0, colon) != "uniform") || (incast && at == std::string::npos))
      throw InputError("'" + text + "' is not background traffic" + legal);
    const std::string load = text.substr(colon + 1, incast ? at - colon - 1 : std::string::npos);
    if (incast) {
      const auto last = static_cast<std::uint64_t>(targets - 1);
      spec.background_target = static_cast<int>(parse_count(text.substr(at + 1), last));
    }
    const auto [end, error] = std::from_chars(load.data(), load.data() + load.size(), spec.background_load);
    if (error != std::errc() || end != load.data() + load.size()) throw InputError("'" + load + "' is not a load" + legal);
    if (!(spec.background_load > 0 && spec.background_load <= 1))
      throw InputError("a load of " + load + " is out of range" + legal);
  });
}

void refuse_platform(const Settings& settings, const std::string& option, const std::string& why,
                     const std::vector<std::string>& kinds) {
  throw InputError(settings.find(option)->where + ": " + why +
                   " (legal: " + (kinds.empty() ? "no --" + option : "on " + join_names(kinds, "and")) + ")");
}

void set_faults(const Settings& settings, RunSpec& spec) {
  const Family& family = family_of(spec.platform);
  const FamilyFacets can = family.facets();
  if (can.link_faults == nullptr && can.frames == nullptr) {
    std::vector<std::string> legal = platform_kinds_with(&FamilyFacets::link_faults);
    for (const std::string& kind : platform_kinds_with(&FamilyFacets::frames)) legal.push_back(kind);
    refuse_platform(settings, "fault", "faults of links are not modelled on " + spec.platform.name(), legal);
  }
  const topology::Graph graph = family.graph(spec.platform);
  with(settings, "fault", [&](const std::string& text) {
    if (can.frames != nullptr)
      spec.frame_faults.push_back(can.frames->canonical(text, graph));  // Family::resolve checks ranks and messages
    else
      spec.faults.push_back(can.link_faults->parse(text, graph));
  });
}

void add_globs(const Settings& settings, const std::string& option, const RunSpec& spec, std::vector<std::string>& globs) {
  if (!settings.has(option)) return;
  const topology::Graph graph = family_of(spec.platform).graph(spec.platform);
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
  with(settings, "log-level", [&](const std::string& text) {
    const std::vector<std::string> levels{"trace", "debug", "info", "warn", "error", "critical", "off"};
    std::vector<std::pair<std::string, std::string>> names;
    for (const std::string& level : levels) names.emplace_back(level, level);
    output.log_level = parse_name(text, names);
    if (output.log_level == "trace") follow_first_block(settings, request.spec);
  });
  check_outputs(settings);
}

}  // namespace

RunRequest make_run_request(const Settings& settings) {
  InputFiles files;
  return make_run_request(settings, files);
}

RunRequest make_run_request(const Settings& settings, InputFiles& files) {
  RunRequest request;
  RunSpec& spec = request.spec;
  const Setting platform = setting_or(settings, "platform", spec.platform.name());
  spec.platform = find_platform(with_file_options(settings, platform.text), platform.where, files);
  request.strict = settings.flag("strict");
  const ParameterSet parameters = spec.parameters.fields();
  with(settings, "set", [&](const std::string& text) {
    parameters.set_assignment(text);
    const std::string path = text.substr(0, text.find('='));
    if (const std::string now = parameters.current(path); now != path) request.renamed[path] = now;
  });
  with(settings, "plugin", [&](const std::string& text) {
    load_plugin(text, spec.blocks);
    spec.plugins.push_back(text);
  });
  set_modes(settings, spec);
  set_background(settings, spec);
  set_jobs(settings, files, spec);
  if (const FamilyAlgorithms* algorithms = family_of(spec.platform).facets().algorithms) algorithms->admit(spec);
  set_iterations(settings, spec);
  set_outputs(settings, request);
  request.measure = make_measure_request(settings);
  return request;
}

void print_renamed(const std::map<std::string, std::string>& renamed) {
  for (const auto& [path, now] : renamed) std::cerr << "tributary: note: " << path << " was renamed: use " << now << "\n";
}

void print_notes(const RunRequest& request) {
  for (const std::string& note : request.spec.notes)
    if (!request.output.quiet) std::cerr << "tributary: note: " << note << "\n";
}

RunSpec default_run(const Setting& platform) {
  InputFiles files;
  return default_run(platform, files);
}

RunSpec default_run(const Setting& platform, InputFiles& files) {
  Settings settings;
  settings.add("platform", platform);
  settings.add("size", {"128B", "--size"});
  return make_run_request(settings, files).spec;
}

}  // namespace tributary
