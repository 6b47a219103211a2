#include "testbench/report/energy_columns.h"

#include <nlohmann/json.hpp>

#include "testbench/report/stored_run.h"
#include "testbench/run/energy/energy_values.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

using Json = nlohmann::ordered_json;

/// Returns `energy.per_byte_pJ`, as the keys of results have units.
std::string column_of(const EnergyValueName& name) {
  return name.name + (name.unit.empty() ? "" : name.unit == "pJ/B" ? "_pJ" : "_" + name.unit);
}

/// Parts without energy have no column.
void add_values(Json& row, const std::map<std::string, double>& values) {
  for (const EnergyValueName& name : energy_value_names())
    if (const auto found = values.find(name.name); found != values.end() && found->second != 0)
      row[column_of(name)] = found->second;
}

void add_to_messages(Json& document, const PriceParams& prices) {
  StoredRun run = stored_run(document, "result");
  run.params.prices = prices;
  std::size_t next = 0;
  for (Json& row : document["results"]) {
    if (!row.at("time_ns").is_number()) continue;
    const StoredPrices all = priced(run, run.rows.at(next++));
    add_values(row, energy_values(all.energy, all.area));
  }
}

}  // namespace

void add_energy_columns(Json& document, const PriceParams& prices) {
  try {
    if (document.contains("results")) return add_to_messages(document, prices);
    const auto values = stored_energy_values(document, "result", prices);
    for (Json& row : document["iterations"]) add_values(row, values);
  } catch (const InputError&) {  // rows of several jobs, and results that have not finished
  }
}

}  // namespace tributary
