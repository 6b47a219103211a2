#include "testbench/report/json_report.h"

#include <iostream>
#include <nlohmann/json.hpp>

#include "modules/base/text_format.h"
#include "testbench/report/energy_report.h"
#include "testbench/report/result_fields.h"
#include "testbench/report/result_file.h"
#include "testbench/report/result_summary.h"
#include "testbench/run/energy/conservation.h"
#include "testbench/run/facets/cost.h"
#include "testbench/run/family.h"
#include "testbench/run/replaced_blocks.h"
#include "testbench/workload/collective.h"

namespace tributary {

using Json = nlohmann::ordered_json;

namespace {

/// Merges several jobs: their common values and all of their ranks.
JobSpec all_jobs(const RunSpec& spec) {
  JobSpec all = spec.jobs.front();
  if (spec.jobs.size() == 1) return all;
  all.ranks.clear();
  for (const JobSpec& job : spec.jobs) {
    if (all.collective != job.collective) all.collective = "several";
    if (all.algorithm != job.algorithm) all.algorithm = "several";
    all.ranks.insert(all.ranks.end(), job.ranks.begin(), job.ranks.end());
  }
  all.root = 0, all.targets.clear(), all.start = {}, all.skew = {}, all.asked_algorithm.clear();
  return all;
}

std::string source_text(const ParameterField& field) {
  const std::string& source = field.note.source();
  if (!field.is_default()) return "set by the user (default " + field.default_text + ")";
  if (field.default_text == "auto") return "auto: " + field.note.automatic() + (source.empty() ? "" : "; " + source);
  return source;
}

}  // namespace

Json value_json(const ParameterValue& value) {
  return std::visit(
      [](const auto& x) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(x)>, std::monostate>)
          return nullptr;
        else
          return x;
      },
      value);
}

Json parameters_json(const topology::PlatformDescription& platform, const RunParameters& asked, const RunParameters& used) {
  RunParameters asked_copy = asked, used_copy = used;
  const ParameterSet asked_set = asked_copy.fields(), used_set = used_copy.fields();
  const Family& family = family_of(platform);
  Json all = Json::object();
  for (std::size_t i = 0; i < used_set.fields().size(); ++i) {
    const ParameterField& field = used_set.fields()[i];
    if (!has_parameter(family, field.path)) continue;
    all[field.path] = {
        {"value", value_json(field.value())}, {"unit", field.unit()}, {"source", source_text(asked_set.fields()[i])}};
  }
  return all;
}

Json row_json(const ResultRow& row) {
  Json json;
  for (const ResultField& field : result_fields())
    if (field.json)
      if (auto value = field.json(row)) json[field.name] = std::move(*value);
  return json;
}

Json kernel_json(const KernelUse& use, SimulationMode mode) {
  const char* const names[] = {"windowed", "event", "fluid"};
  return {{"mode", names[static_cast<std::size_t>(mode)]},
          {"packet_hops", use.packet_hops},
          {"events", use.events},
          {"cpu_s", use.cpu_s},
          {"packet_hops_per_cpu_s", use.cpu_s > 0 ? static_cast<double>(use.packet_hops) / use.cpu_s : 0.0},
          {"peak_rss_bytes", use.peak_rss_bytes}};
}

Json cost_json(const CostReport& cost) {
  Json json = Json::object();
  for (const auto& [name, value] : cost.values) std::visit([&](auto x) { json[name] = x; }, value);
  return json;
}

JsonReport::JsonReport(std::string path, const RunSpec& spec, const RunParameters& used)
    : path_(std::move(path)), mode_(spec.mode), spec_(spec), used_(used), document_(std::make_unique<Json>()) {
  Json& document = *document_;
  document["tributary"] = TRIBUTARY_VERSION;
  document["platform"] = spec.platform.name();
  add_job(document, all_jobs(spec));
  if (spec.iterations > 0) document["iterations"] = spec.iterations;
  if (spec.background_load > 0) document["background"] = background_text(spec);
  if (spec.mode == SimulationMode::fluid) document["fidelity"] = "fluid";
  document["seed"] = spec.seed;
  for (const LinkFault& fault : spec.faults) document["faults"].push_back(to_string(fault));
  for (const std::string& fault : spec.frame_faults) document["faults"].push_back(fault);
  std::vector<std::string> notes = notes_of(spec.platform);
  notes.insert(notes.end(), spec.notes.begin(), spec.notes.end());
  if (!notes.empty()) document["notes"] = notes;
  for (const std::string& plugin : spec.plugins) document["plugins"].push_back(plugin);
  for (const std::string& block : replaced_blocks(family_of(spec.platform), spec))
    document["replaced_blocks"].push_back(block);
  document["parameters"] = parameters_json(spec.platform, spec.parameters, used);
  if (const FamilyCost* cost = family_of(spec.platform).facets().cost) document["cost"] = cost_json(cost->cost(spec, used));
  if (const AreaReport area = area_of(spec, used); !area.values.empty()) document["area"] = area_json(area);
  document["results"] = Json::array();
}

JsonReport::~JsonReport() = default;

void JsonReport::row(const ResultRow& row, const KernelUse& use) {
  Json json = row_json(row);
  const std::string collective = row.job ? row.job->collective : (*document_)["collective"].get<std::string>();
  if (!collective_of(collective).reduces) json["redop"] = "none";
  check_conservation(spec_, used_, row);
  if (const auto energy = energy_of(spec_, used_, row)) json["energy"] = energy_json(*energy);
  (*document_)["results"].push_back(std::move(json));
  if (path_ != "-") replace_file(path_, text(use));
}

void JsonReport::measured(const std::string& text) { (*document_)["bottleneck"]["measured"] = Json::parse(text); }

void JsonReport::against(const std::string& text) { (*document_)["against"] = Json::parse(text); }

void JsonReport::shadows(const std::string& text) { (*document_)["shadow"] = Json::parse(text); }

void JsonReport::in_kernel_time(const std::vector<DeviceInKernelTime>& devices) {
  for (const DeviceInKernelTime& d : devices)
    (*document_)["kernel_time"].push_back({{"device", d.device}, {"parts", d.parts}});
}

void JsonReport::finish(const KernelUse& use) {
  if (path_ == "-")
    std::cout << text(use) << std::flush;
  else
    replace_file(path_, text(use));
}

std::string JsonReport::text(const KernelUse& use) {
  (*document_)["kernel"] = kernel_json(use, mode_);
  return document_->dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tributary
