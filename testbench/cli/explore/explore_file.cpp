#include "testbench/cli/explore/explore_file.h"

#include <algorithm>

#include "testbench/cli/explore/explore_node.h"
#include "testbench/cli/requests/option_table.h"
#include "testbench/cli/requests/option_text.h"
#include "testbench/cli/requests/scenario_node.h"
#include "testbench/cli/requests/train_request.h"
#include "testbench/explore/amount.h"
#include "testbench/explore/characters.h"

namespace tributary {
namespace {

const std::vector<std::string> own_keys{"explore",    "workloads", "variables", "let",   "derived",  "constraints",
                                        "objectives", "method",    "seed",      "seeds", "baseline", "assumptions"};

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_own(const std::string& key) { return contains(own_keys, key); }

/// Checks the keys of the file. Those of workloads are legal as well.
void check_keys(const ExploreNode& top, const std::string& path) {
  std::vector<std::string> legal = own_keys;
  for (const char* key : {"command", "parameters", "jobs"}) legal.push_back(key);
  for (const auto* options : {&run_options(), &train_options()})
    for (const OptionRow& row : *options) legal.push_back(row.name);
  top.require_map();
  for (const auto& [key, value] : top.node().entries)
    if (!contains(legal, key->text))
      ExploreNode(path, *key, "")
          .fail(unknown_name("key", key->text, legal, false) + " (legal: " + join_names(own_keys, "and") +
                ", and options of `run` and `train`)");
  top.require_keys({"explore", "variables", "workloads", "method"});
  if (const ExploreNode version = top.at("explore"); !version.node().is_scalar() || version.text() != "1")
    version.fail("the version of this form is expected (legal: 1)");
}

/// Returns the map of a workload: its own keys, and those of the file that it does not set. Parameters of both remain, its
/// own last.
YamlNode merged(const YamlNode& top, const YamlNode& workload) {
  YamlNode all = workload;
  all.entries.clear();
  for (const auto& entry : top.entries) {
    if (!entry.first->is_scalar() || is_own(entry.first->text)) continue;
    const bool replaced = std::any_of(workload.entries.begin(), workload.entries.end(), [&](const auto& other) {
      return other.first->text == entry.first->text && entry.first->text != "parameters";
    });
    if (!replaced) all.entries.push_back(entry);
  }
  all.entries.insert(all.entries.end(), workload.entries.begin(), workload.entries.end());
  return all;
}

void read_workloads(const ExploreNode& top, ExploreFile& file) {
  for (const auto& [name, node] : top.at("workloads").entries()) {
    node.require_map();
    const YamlNode all = merged(top.node(), node.node());
    ExploreWorkload workload{name, settings_of_node(all, file.path)};
    const Setting* const command = workload.settings.find("command");
    workload.training = command != nullptr && command->text == "train";
    for (const char* option : {"sizes", "seed"})
      if (workload.settings.has(option))
        node.fail(std::string(option) + " is no key of a workload (legal: size; seed at the top)");
    if (!workload.settings.jobs().empty()) node.fail("several jobs are no workload (legal: a workload for each job)");
    file.workloads.push_back(std::move(workload));
  }
  if (file.workloads.empty()) top.at("workloads").fail("there is no workload (legal: at least one)");
}

std::vector<std::string> values_of(const ExploreNode& node) {
  if (!node.has("values"))
    return with_place(node.where(), [&] {
      return explore::stepped_values(node.at("from").text(), node.at("to").text(), node.at("step").text());
    });
  for (const char* key : {"from", "to", "step"})
    if (node.has(key)) node.fail("values and " + std::string(key) + " exclude each other");
  std::vector<std::string> values;
  for (const ExploreNode& item : node.at("values").items()) values.push_back(item.text());
  return values;
}

void read_variables(const ExploreNode& top, ExploreFile& file) {
  for (const auto& [name, node] : top.at("variables").entries()) {
    node.require_map({"parameter", "option", "values", "from", "to", "step"});
    if (node.has("parameter") && node.has("option")) node.fail("a variable has either `parameter` or `option`");
    ExploreVariable variable{{name, values_of(node), true}, "", node.has("option"), node.where()};
    if (variable.is_option || node.has("parameter"))
      variable.target = node.at(variable.is_option ? "option" : "parameter").text();
    for (const std::string& value : variable.variable.values)
      if (value != "auto" && !explore::read_amount(value)) variable.variable.ordered = false;
    file.variables.push_back(std::move(variable));
  }
}

void read_objectives(const ExploreNode& top, ExploreFile& file) {
  if (!top.has("objectives")) return;
  for (const ExploreNode& node : top.at("objectives").items()) {
    node.require_map({"minimize", "maximize", "name"});
    if (node.has("minimize") == node.has("maximize")) node.fail("an objective has either `minimize` or `maximize`");
    const bool maximised = node.has("maximize");
    const ExploreNode value = node.at(maximised ? "maximize" : "minimize");
    file.objectives.push_back({node.has("name") ? node.at("name").text() : "", {value.text(), value.where()}, maximised});
  }
}

void read_baseline(const ExploreNode& top, ExploreFile& file) {
  if (!top.has("baseline")) return;
  const ExploreNode node = top.at("baseline");
  std::vector<std::string> names, texts;
  for (const ExploreVariable& variable : file.variables) names.push_back(variable.variable.name);
  node.require_map(names);
  for (const std::string& name : names) texts.push_back(node.at(name).text());
  file.baseline = texts;
  file.baseline_where = node.where();
}

/// Returns the keys that a kind of method has.
std::vector<std::string> keys_of(const std::string& kind) {
  if (kind == "grid") return {"kind", "points"};
  if (kind == "sample") return {"kind", "points", "sequence"};
  if (kind == "bisect") return {"kind", "variable", "keep", "of", "against"};
  if (kind == "halving") return {"kind", "start", "rungs", "keep"};
  if (kind == "evolution") return {"kind", "population", "generations", "stop"};
  return {"kind", "of", "design", "points", "at", "population", "generations"};
}

void read_rungs(const ExploreNode& node, ExploreMethod& method) {
  for (const ExploreNode& rung : node.at("rungs").items()) {
    rung.require_map();
    Settings settings;
    for (const auto& [key, value] : rung.entries()) settings.add(key, {value.text(), value.where()});
    method.rungs.push_back(std::move(settings));
  }
  if (!method.rungs.back().all().empty())
    node.at("rungs").fail("the last rung changes the workloads (legal: {} as the last rung, the file as it is)");
}

/// Refuses variables that change nothing.
void check_use(const ExploreFile& file) {
  std::vector<std::string> texts;
  for (const auto* all : {&file.definitions, &file.derived})
    for (const ExploreDefinition& one : *all) texts.push_back(one.text.text);
  for (const ExploreText& one : file.constraints) texts.push_back(one.text);
  for (const ExploreObjective& one : file.objectives) texts.push_back(one.text.text);
  if (file.method.of) texts.push_back(file.method.of->text);
  for (const ExploreVariable& variable : file.variables)
    if (variable.target.empty() && std::none_of(texts.begin(), texts.end(), [&](const std::string& text) {
          return explore::names_word(text, variable.variable.name);
        }))
      throw InputError(variable.where +
                       ": the variable changes nothing (legal: `parameter`, `option`, or an expression "
                       "that names it)");
}

ExploreMethod read_method(const ExploreNode& node) {
  constexpr std::size_t most = 1'000'000;
  ExploreMethod method;
  method.kind = node.at("kind").one_of({"grid", "sample", "bisect", "halving", "evolution", "sensitivity"});
  method.where = node.where();
  node.require_map(keys_of(method.kind));
  const auto count = [&](const char* key, std::size_t fallback) {
    return node.has(key) ? node.at(key).count(1, most) : fallback;
  };
  if (node.has("design")) method.design = node.at("design").one_of({"oat", "morris", "sobol"});
  if (node.has("at")) method.at_knee = node.at("at").one_of({"baseline", "knee"}) == "knee";
  for (const char* key : {"at", "points", "population", "generations"}) {
    if (method.kind != "sensitivity" || !node.has(key)) continue;
    const bool legal = std::string(key) == "points" ? method.design != "oat"
                       : std::string(key) == "at"   ? method.design == "oat"
                                                    : method.at_knee;
    if (!legal)
      node.at(key).fail(
          "this design has no such key (legal: points with morris and sobol; at with oat; others with at: knee)");
  }
  method.points = count("points", method.kind == "grid"          ? 2000
                                  : method.kind != "sensitivity" ? 64
                                  : method.design == "morris"    ? 8
                                                                 : 128);
  method.population = count("population", method.population);
  method.generations = count("generations", method.generations);
  method.start = count("start", 64);
  method.keep = node.has("keep") ? node.at("keep").share() : method.kind == "bisect" ? 0.95 : 0.5;
  if (node.has("sequence")) method.sequence = node.at("sequence").one_of({"sobol", "latin"});
  if (node.has("against")) method.against_last = node.at("against").one_of({"to", "from"}) == "to";
  if (node.has("stop")) {
    const ExploreNode stop = node.at("stop");
    stop.require_map({"hypervolume", "over"});
    method.least_growth = stop.at("hypervolume").share();
    method.over = stop.at("over").count(1, most);
  }
  if (method.kind == "bisect") method.variable = node.at("variable").text();
  if (method.kind == "bisect" || method.kind == "sensitivity") method.of = {node.at("of").text(), node.at("of").where()};
  if (method.kind == "halving") read_rungs(node, method);
  return method;
}

}  // namespace

ExploreFile read_explore_file(const std::string& path) {
  const std::vector<YamlRef> documents = read_yaml(path);
  if (documents.size() != 1) throw InputError(path + ": " + std::to_string(documents.size()) + " documents (legal: one)");
  const ExploreNode top(path, *documents.front(), "");
  if (!documents.front()->is_map()) throw InputError(path + ":1: a map of keys is expected (docs/explore.md)");
  check_keys(top, path);
  ExploreFile file;
  file.path = path;
  if (top.has("seed")) file.seed = top.at("seed").count(0, ~std::uint64_t{0});
  if (top.has("seeds")) file.seeds = top.at("seeds").count(1, 1000);
  read_variables(top, file);
  read_workloads(top, file);
  const auto definitions = [&](const char* key) {
    std::vector<ExploreDefinition> all;
    if (top.has(key))
      for (const auto& [name, node] : top.at(key).entries()) all.push_back({name, {node.text(), node.where()}});
    return all;
  };
  file.definitions = definitions("let");
  file.derived = definitions("derived");
  if (top.has("constraints"))
    for (const ExploreNode& node : top.at("constraints").items()) file.constraints.push_back({node.text(), node.where()});
  read_objectives(top, file);
  read_baseline(top, file);
  file.method = read_method(top.at("method"));
  check_use(file);
  if (top.has("assumptions")) file.assumptions = top.at("assumptions").one_of({"true", "false"}) == "true";
  if (file.assumptions && file.objectives.empty())
    top.at("assumptions").fail("there are no objectives, so there is no knee");
  return file;
}

}  // namespace tributary
