#include "testbench/report/stored_run.h"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "modules/base/field_type.h"
#include "modules/base/text_format.h"
#include "testbench/run/energy/energy_values.h"
#include "testbench/run/family.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* legal = " (legal: a file of tributary run --json)";

/// Reads `0-3,8`.
std::vector<int> stored_endpoints(const std::string& text) {
  std::vector<int> all;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto dash = part.find('-');
    const int first = std::stoi(part), last = dash == std::string::npos ? first : std::stoi(part.substr(dash + 1));
    if (first < 0 || last < first || last - first > 1'000'000) throw std::out_of_range("endpoints");
    for (int e = first; e <= last; ++e) all.push_back(e);
  }
  return all;
}

/// Returns a text that the field accepts; empty for an automatic value.
std::string stored_text(const Json& value, const std::string& unit) {
  if (value.is_null()) return "";
  if (value.is_string()) return value;
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number_integer()) return value.dump() + unit;
  const double x = value.get<double>();
  return unit.empty() ? print_real(x) : fixed(x, 0) + unit;
}

void read_stored_parameters(const Json& document, StoredRun& run) {
  const ParameterSet set = run.params.fields();
  for (const ParameterField& field : set.fields()) {
    if (!document.contains(field.path) || field.path.rfind("watchdog.", 0) == 0) continue;
    const Json& stored = document[field.path];
    const std::string text = stored_text(stored.at("value"), stored.at("unit"));
    if (!text.empty()) field.set(text);
  }
}

ResultRow stored_row(const Json& json) {
  ResultRow row;
  row.label = json.value("label", "");
  row.size_bytes = json.at("size_bytes");
  row.count = json.at("count");
  row.type = FieldType<ElementType>::parse(json.at("type").get<std::string>());
  const std::string op = json.value("redop", "none");
  if (op != "none") row.op = FieldType<ReduceOp>::parse(op);
  row.time = static_cast<Tick>(std::llround(json.at("time_ns").get<double>() * 1000));
  for (const Json& link : json.at("links"))
    row.links.push_back({link.at("name"), link.at("bytes"), link.at("utilisation"), link.value("count", std::uint64_t{1})});
  for (const auto& [name, value] : json.at("counters").items()) row.counters[name] = value;
  return row;
}

void read_stored_job(const Json& document, StoredRun& run) {
  JobSpec& job = run.spec.jobs.front();
  job.collective = document.at("collective");
  job.algorithm = document.at("algorithm");
  job.ranks = stored_endpoints(document.at("endpoints"));
  if (job.ranks.empty()) throw std::out_of_range("endpoints");
}

StoredRun run_of(const std::string& file, const Json& document) {
  StoredRun run;
  run.file = file;
  run.spec.platform = document.at("platform").get<std::string>();
  read_stored_job(document, run);
  read_stored_parameters(document.at("parameters"), run);
  for (const Json& row : document.at("results"))
    if (row.at("time_ns").is_number()) run.rows.push_back(stored_row(row));
  if (!run.rows.empty()) run.spec.jobs.front().type = run.rows.front().type, run.spec.jobs.front().op = run.rows.front().op;
  run.spec.parameters = run.params;
  return run;
}

}  // namespace

StoredRun read_stored_run(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw InputError("'" + file + "' cannot be read" + legal);
  return stored_run(Json::parse(in, nullptr, false), file);
}

StoredRun stored_run(const Json& document, const std::string& file) {
  if (!document.is_object() || !document.contains("results") || !document.contains("parameters"))
    throw InputError("'" + file + "' holds no results of a run" + legal);
  if (const Json& rows = document["results"]; rows.is_array() && !rows.empty() && rows.front().contains("job"))
    throw InputError("'" + file + "' has several jobs, whose counters are not apart (legal: results of one job)");
  try {
    StoredRun run = run_of(file, document);
    if (family_of(run.spec.platform).facets().energy == nullptr)
      throw InputError("'" + file + "': energy is not modelled on " + run.spec.platform.name());
    if (run.rows.empty()) throw InputError("'" + file + "' has no row that finished" + legal);
    return run;
  } catch (const InputError&) {
    throw;
  } catch (const std::exception& error) {
    throw InputError("'" + file + "' is no result file: " + one_line(error.what()) + legal);
  }
}

StoredPrices priced(const StoredRun& run, const ResultRow& row) {
  try {
    return {energy_of(run.spec, run.params, row), area_of(run.spec, run.params)};
  } catch (const std::bad_optional_access&) {
    throw InputError("'" + run.file + "' lacks parameters that its energy depends on" + legal);
  } catch (const InputError&) {
    throw;
  } catch (const std::logic_error& error) {
    throw InputError("'" + run.file + "' is no result file: " + one_line(error.what()) + legal);
  } catch (const std::runtime_error& error) {
    throw InputError("'" + run.file + "' is no result file: " + one_line(error.what()) + legal);
  }
}

namespace {

/// Returns the energy of the communication of a training, and its area.
std::map<std::string, double> iteration_energy(const Json& document) {
  std::map<std::string, double> values;
  const Json energy = document.value("energy", Json());
  if (!energy.is_object()) return values;
  constexpr double pJ_of_J = 1e12;
  const double marginal = energy.at("marginal_J"), standing = energy.at("standing_J");
  for (const char* part : energy_part_names) values[std::string("energy.") + part] = 0;
  for (const auto& [part, joules] : energy.at("parts").items()) values["energy." + part] = joules.get<double>() * pJ_of_J;
  values["energy.marginal"] = marginal * pJ_of_J;
  values["energy.standing"] = standing * pJ_of_J;
  values["energy.total"] = (marginal + standing) * pJ_of_J;
  const Json area = document.value("area", Json::object());
  for (const auto& [part, value] : area.items()) values["area." + part] = value.get<double>();
  return values;
}

}  // namespace

std::map<std::string, double> stored_energy_values(const Json& document, const std::string& file,
                                                   const PriceParams& prices) {
  if (document.is_object() && document.contains("iterations") && document["iterations"].is_array())
    return iteration_energy(document);
  StoredRun run = stored_run(document, file);
  run.params.prices = prices;
  const StoredPrices all = priced(run, run.rows.back());
  return energy_values(all.energy, all.area);
}

}  // namespace tributary
