#include "testbench/cli/requests/train_request.h"

#include <algorithm>
#include <array>

#include "modules/base/field_type.h"
#include "modules/base/nearest.h"
#include "testbench/cli/requests/against_request.h"
#include "testbench/cli/requests/option_text.h"
#include "testbench/cli/requests/output_check.h"
#include "testbench/cli/requests/renamed_options.h"
#include "testbench/run/facets/tasks.h"
#include "testbench/run/family.h"
#include "testbench/workload/training/models/model_list.h"
#include "testbench/workload/training/models/preset.h"

namespace tributary {
namespace {

/// A parameter with an option of its own.
struct ShortName {
  const char* option;
  const char* path;
  const char* argument;
};
constexpr std::array<ShortName, 14> short_names{{{"model", "training.model", "NAME or FILE"},
                                                 {"batch", "training.batch", "N"},
                                                 {"sequences", "training.sequences", "N"},
                                                 {"dtype", "training.dtype", "TYPE"},
                                                 {"iterations", "training.iterations", "N"},
                                                 {"sharding", "training.sharding", "WHAT"},
                                                 {"parallel", "training.parallel", "DEGREES"},
                                                 {"grouping", "comm.grouping", "GROUPING"},
                                                 {"order", "comm.order", "ORDER"},
                                                 {"queues", "comm.queues", "N"},
                                                 {"compute", "compute.model", "MODEL"},
                                                 {"compute-gap", "graph.compute_gap", "TIME"},
                                                 {"step", "graph.step", "N"},
                                                 {"memory", "compute.memory", "SIZE"}}};

/// Options that the command shares with `run`.
constexpr std::array<const char*, 19> shared{
    "platform", "algorithm", "gpus", "ranks",    "mode",          "seed",  "threads",    "json", "csv",   "report",
    "quiet",    "plugin",    "vcd",  "perfetto", "perfetto-json", "trace", "time-limit", "skew", "energy"};
/// Shared options that only --fidelity full supports.
constexpr std::array<const char*, 5> of_full{"vcd", "perfetto", "perfetto-json", "time-limit", "skew"};

std::vector<OptionRow> make_options() {
  std::vector<OptionRow> rows;
  rows.reserve(std::size(shared));
  for (const char* name : shared) rows.push_back(*find_run_option(name));
  rows.back().help =
      "print the energy of the communication of an iteration, marginal and standing; parameters energy.* are its prices";
  training::TrainParams defaults;
  const ParameterSet fields = defaults.fields();
  for (const ShortName& s : short_names) {
    const ParameterField& field = fields.at(s.path);
    rows.push_back({s.option, s.argument, field.note.help() + ": " + field.legal(), "parameter " + field.path,
                    field.default_text == "auto" ? field.note.automatic() : field.default_text});
  }
  rows.push_back({"preset", "NAME or FILE",
                  "parameters of the experiments of a paper: " + join_names(training::preset_names()), "name", "none"});
  rows.push_back(
      {"graph", "FILE or PREFIX",
       "task graph of a step instead of a model: YAML, text of ASTRA-sim or SimAI, log of NCCL, trace of PyTorch, or Chakra "
       "traces",
       "path", "none"});
  rows.push_back(
      {"fidelity", "auto, isolated, pairs or full",
       "isolated: packets simulate each distinct transfer alone; pairs: also each two that meet, together; full: the "
       "devices execute the whole graph; auto: full if operations slow each other and the platform executes the graph, "
       "else pairs",
       "name", "auto"});
  rows.push_back({"against", "ALGORITHM,...",
                  "run the same step also by these algorithms, and print the difference of each in time and its parts",
                  "names of `list algorithms`", "none"});
  rows.push_back({"write-graph", "FILE", "file to which the task graph of the step is written as YAML, without running it",
                  "path", "none"});
  rows.push_back({"print-memory", "", "print the memory of a rank of each place of the pipeline, without running the step",
                  "", "", OptionKind::flag});
  rows.push_back({"set", "PATH=VALUE", "parameter of `list parameters` and its value; repeatable",
                  "default of the parameter", "`list parameters`", OptionKind::list});
  return rows;
}

std::string path_of(const std::string& assignment) { return assignment.substr(0, assignment.find('=')); }

/// Sets the parameters of training. Parameters of the platform remain in the settings of the run.
void set_parameters(const Settings& settings, training::TrainParams& params, Settings& run) {
  const ParameterSet fields = params.fields();
  std::vector<Setting> given;
  for (const Setting& setting : settings.all("set")) given.push_back(setting);
  for (const ShortName& s : short_names)
    if (const Setting* option = settings.find(s.option))
      given.push_back({std::string(s.path) + "=" + option->text, option->where});
  const auto set = [&](const Setting& setting) {
    refuse_renamed_parameter(setting);
    if (!training::TrainParams::owns(setting.text)) return run.add("set", setting);
    with_place(setting.where, [&] { fields.set_assignment(setting.text); });
  };
  if (const Setting* preset = settings.find("preset")) {
    const training::Preset all = with_place(preset->where, [&] { return training::find_preset(preset->text); });
    std::vector<training::PresetValue> values = all.values;
    for (const training::PresetValue& v : values) set({v.path + "=" + v.text, v.where});
    for (const Setting& setting : given)
      if (path_of(setting.text) == "training.model") set(setting);  // determines the values that follow
    values = all.for_model(params.training.model.text);
    for (const training::PresetValue& v : values)
      if (v.path != "training.model") set({v.path + "=" + v.text, v.where});
    for (const Setting& setting : given)
      if (path_of(setting.text) == "training.dtype") set(setting);
    const std::string type = FieldType<training::NumberType>::print(params.training.dtype);
    for (const training::PresetValue& v : with_place(preset->where, [&] { return all.for_type(type); }))
      set({v.path + "=" + v.text, v.where});
  }
  for (const Setting& setting : given) set(setting);
}

/// Returns the settings with the files that a preset names.
Settings files_of(const Settings& settings, const training::TrainParams& params) {
  Settings files = settings;
  const std::string where = settings.has("preset") ? settings.find("preset")->where : "--set";
  files.add("set", {"compute.table=" + params.compute.table.path, where});
  files.add("model", {params.training.model.text, where});
  return files;
}

/// Returns the collective by which --algorithm is checked: the all-reduce, or with a graph the first collective of the
/// platform that has the algorithm.
std::string checked_collective(const Settings& settings, InputFiles& files) {
  const std::string usual = JobSpec{}.collective;
  const Setting *algorithm = settings.find("algorithm"), *named = settings.find("platform");
  if (algorithm == nullptr || !settings.has("graph")) return usual;
  const Setting platform = named != nullptr ? *named : Setting{RunSpec{}.platform.name(), "--platform"};
  const std::vector<Algorithm> known =
      with_place(platform.where, [&] { return family_of(files.platform(platform.text)).algorithms(); });
  std::string other;
  for (const Algorithm& a : known) {
    if (a.name != algorithm->text) continue;
    if (a.collective == usual) return usual;
    if (other.empty()) other = a.collective;
  }
  return other.empty() ? usual : other;
}

Fidelity fidelity_of(const std::string& text) {
  if (text == "auto") return Fidelity::automatic;
  if (text == "isolated") return Fidelity::isolated;
  if (text == "pairs") return Fidelity::pairs;
  if (text != "full") throw InputError("'" + text + "' is not a fidelity (legal: auto, isolated, pairs or full)");
  return Fidelity::full;
}

void check_once(const Settings& settings) {
  for (const OptionRow& row : train_options()) {
    const auto given = settings.all(row.name);
    if (given.size() > 1 && row.kind != OptionKind::list) throw InputError(given[1].where + ": given twice");
  }
}

}  // namespace

const std::vector<OptionRow>& train_options() {
  static const std::vector<OptionRow> all = make_options();
  return all;
}

TrainRequest make_train_request(const Settings& settings) {
  InputFiles files;
  return make_train_request(settings, files);
}

TrainRequest make_train_request(const Settings& settings, InputFiles& files) {
  check_once(settings);
  for (const Setting& mode : settings.all("mode")) refuse_renamed_option("train", "mode", mode);
  TrainRequest request;
  Settings run;
  for (const char* name : shared)
    for (const Setting& setting : settings.all(name)) run.add(name, setting);
  set_parameters(settings, request.params, run);
  run.add("collective", {checked_collective(settings, files), "--algorithm"});
  run.add("dtype", {FieldType<ElementType>::print(request.params.training.dtype.element), "--dtype"});
  run.add("size", {"128B", "--model"});
  run.add("no-data", {"true", "--no-data"});
  run.check();
  request.run = make_run_request(run, files);
  request.names_algorithm = settings.has("algorithm");
  if (const Setting* graph = settings.find("graph")) {
    request.graph = graph->text;
    if (const Setting* model = settings.find("model")) throw InputError(model->where + " and --graph exclude each other");
  }
  if (const Setting* fidelity = settings.find("fidelity")) {
    refuse_renamed_value("fidelity", *fidelity);
    request.fidelity = with_place(fidelity->where, [&] { return fidelity_of(fidelity->text); });
    const topology::PlatformDescription& platform = request.run.spec.platform;
    if (request.fidelity == Fidelity::full && family_of(platform).facets().tasks == nullptr)
      throw InputError(fidelity->where + ": " + family_of(platform).endpoint_of(platform).plural + " of " + platform.name() +
                       " execute no graph of a step, by flows or by packets (legal: auto or isolated)");
    if (request.fidelity == Fidelity::full && request.params.compute.memory_share > 0)
      throw InputError(fidelity->where +
                       ": devices do not model compute.memory_share (legal: isolated, or compute.memory_share=0)");
  }
  for (const char* name : of_full)
    if (const Setting* setting = settings.find(name); setting != nullptr && request.fidelity != Fidelity::full)
      throw InputError(setting->where + ": only --fidelity full supports this option (legal with it, or with `run`)");
  if (const Setting* against = settings.find("against"))
    request.against = algorithms_against(*against, request.run.spec, !request.graph.empty());
  if (const Setting* graph = settings.find("write-graph")) {
    if (graph->text.empty()) throw InputError(graph->where + ": a file name is missing (legal: a path)");
    request.write_graph = graph->text;
  }
  if (const Setting* memory = settings.find("print-memory")) {
    request.print_memory = true;
    if (!request.graph.empty()) throw InputError(memory->where + " and --graph exclude each other (legal: with --model)");
  }
  check_outputs(files_of(settings, request.params));
  const Setting* model = settings.find("model");
  if (request.graph.empty())
    request.model = with_place(model != nullptr ? model->where : "--model",
                               [&] { return training::find_model(request.params.training.model.text); });
  return request;
}

}  // namespace tributary
