#include "testbench/cli/explore/explore_fields.h"

#include "modules/base/text_format.h"
#include "testbench/report/result_fields.h"
#include "testbench/report/sweep_table.h"
#include "testbench/run/energy/energy_values.h"

namespace tributary {
namespace {

using Json = nlohmann::ordered_json;
using explore::Dimension;
using explore::Evaluation;

const explore::UnitName* unit_of(const std::string& unit) { return explore::find_unit(unit); }

Dimension dimension_of_unit(const std::string& unit) {
  const explore::UnitName* const known = unit_of(unit);
  return known == nullptr ? Dimension{} : known->dimension;
}

Evaluation in_base(const Json& value, const std::string& unit, const std::string& name) {
  if (!value.is_number()) return {std::nullopt, name + " has no value in this run"};
  const explore::UnitName* const known = unit_of(unit);
  return {known == nullptr ? value.get<double>() : explore::amount_in(value.get<double>(), *known).value, ""};
}

/// Returns the value of a key of a row; null if it is missing.
Json value_in(const Json& row, const std::string& key) {
  if (row.contains(key)) return row[key];
  if (key == "bound_share") {
    const Json algbw = row.value("algbw_GBps", Json()), bound = row.value("bound_GBps", Json());
    return algbw.is_number() && bound.is_number() && bound > 0 ? Json(algbw.get<double>() / bound.get<double>()) : Json();
  }
  const std::size_t point = key.find('.');
  if (point == std::string::npos || !row.contains(key.substr(0, point))) return {};
  const Json& inner = row[key.substr(0, point)];
  const std::string name = key.substr(point + 1);
  return inner.is_object() && inner.contains(name) ? inner[name] : Json();
}

}  // namespace

ExploreFields::ExploreFields(const std::vector<ExploreWorkload>& workloads) {
  for (std::size_t w = 0; w < workloads.size(); ++w) {
    workloads_.push_back(workloads[w].name);
    add(w, "time", "time_ns", "ns");
    if (workloads[w].training) {
      for (const char* key : {"time_ns", "compute_ns", "exposed_ns", "active_ns", "overlap_ns", "optimizer_ns", "idle_ns"})
        add(w, key, key, "ns");
      add(w, "iteration_ns", "time_ns", "ns");
      add(w, "samples_per_s", "samples_per_s", ""), add(w, "tokens_per_s", "tokens_per_s", "");
      add(w, "bottleneck.share", "bottleneck.share", "");
      add_energies(w, true);
      continue;
    }
    add(w, "algbw", "algbw_GBps", "GB/s"), add(w, "busbw", "busbw_GBps", "GB/s"), add(w, "bound_share", "bound_share", "");
    for (const ResultField& field : result_fields())
      if (field.type.rfind("number", 0) == 0 || field.type.rfind("integer", 0) == 0)
        add(w, field.name, field.name, field.unit);
    add(w, "bottleneck.share", "bottleneck.share", "");
    for (const CounterInfo& counter : counter_infos())
      add(w, "counters." + counter.name, "counters." + counter.name, counter.unit);
    add_energies(w, false);
  }
}

void ExploreFields::add(std::size_t workload, const std::string& name, const std::string& key, const std::string& unit) {
  fields_.push_back({workloads_[workload] + "." + name, workload, key, unit});
}

/// Adds `WORKLOAD.energy.NAME`, and for the first workload `area.NAME`: all workloads run on one machine. An iteration of a
/// training has no size, so no energy per byte.
void ExploreFields::add_energies(std::size_t workload, bool training) {
  for (const EnergyValueName& value : energy_value_names()) {
    const bool is_area = value.name.rfind("area.", 0) == 0;
    if (training && value.name == "energy.per_byte") continue;
    if (!is_area)
      fields_.push_back({workloads_[workload] + "." + value.name, workload, value.name, value.unit, true});
    else if (find(value.name) == nullptr)
      fields_.push_back({value.name, workload, value.name, value.unit, true});
  }
}

const ExploreFields::Field* ExploreFields::find(const std::string& name) const {
  for (const Field& field : fields_)
    if (field.name == name) return &field;
  return nullptr;
}

std::optional<Dimension> ExploreFields::dimension_of(const std::string& name) const {
  const Field* const field = find(name);
  return field == nullptr ? std::nullopt : std::optional(dimension_of_unit(field->unit));
}

std::vector<std::string> ExploreFields::names() const {
  std::vector<std::string> names;
  for (const Field& field : fields_) names.push_back(field.name);
  return names;
}

Evaluation ExploreFields::value_of(const std::string& name, const ExploreResults& results) const {
  const Field* const field = find(name);
  if (field == nullptr) return {std::nullopt, "no field " + name};
  if (!field->is_energy)
    return in_base(value_in(result_rows(results.documents.at(field->workload)).back(), field->key), field->unit, name);
  const auto& energies = results.energies.at(field->workload);
  const auto found = energies.find(field->key);
  return in_base(found == energies.end() ? Json() : Json(found->second), field->unit, name);
}

Evaluation ExploreFields::parameter_of(const std::string& path, const Json& document) {
  const Json parameters = document.value("parameters", Json::object());
  if (!parameters.contains(path) || !parameters[path].is_object()) return {std::nullopt, path + " has no value in this run"};
  return in_base(parameters[path].value("value", Json()), parameters[path].value("unit", ""), path);
}

std::string ExploreFields::fault_of(const Json& document) {
  for (const Json& row : result_rows(document)) {
    const std::string status = row.value("status", "");
    if (status != "done") return status == "wrong" ? "wrong elements" : "status " + status;
  }
  return "";
}

std::string ExploreFields::bottleneck_of(const Json& document) {
  const Json found = result_rows(document).back().value("bottleneck", Json());
  if (!found.is_object()) return "";
  std::string names;
  for (const Json& name : found.value("parameters", Json::array()))
    if (name.is_string()) names += (names.empty() ? "" : " + ") + name.get<std::string>();
  const std::string module = found.value("module", "");
  std::string text = (names.empty() ? "unnamed: " : "") + found.value("cause", "") + (module.empty() ? "" : " " + module);
  if (found.contains("share") && found["share"].is_number())
    text += ", " + fixed(100 * found["share"].get<double>(), 1) + "%";
  return text + (names.empty() ? "" : " (" + names + ")");
}

}  // namespace tributary
