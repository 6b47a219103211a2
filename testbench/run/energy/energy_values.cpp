#include "testbench/run/energy/energy_values.h"

namespace tributary {
namespace {

constexpr double pJ_of_J = 1e12;

std::vector<EnergyValueName> all_energy_value_names() {
  std::vector<EnergyValueName> all{{"energy.total", "pJ"}, {"energy.marginal", "pJ"}, {"energy.standing", "pJ"}};
  for (const char* part : energy_part_names) all.push_back({std::string("energy.") + part, "pJ"});
  all.push_back({"energy.per_byte", "pJ/B"});
  for (const char* part : {"total", "sram", "reduction", "tables", "adders", "tags", "buffers", "crossbar", "serdes"})
    all.push_back({std::string("area.") + part, "mm2"});
  all.push_back({"area.bram36", ""});
  all.push_back({"area.share_of_prototype_fpga", ""});
  all.push_back({"area.dsp48", ""});
  return all;
}

}  // namespace

const std::vector<EnergyValueName>& energy_value_names() {
  static const std::vector<EnergyValueName> all = all_energy_value_names();
  return all;
}

std::map<std::string, double> energy_values(const std::optional<Energy>& energy, const AreaReport& area) {
  std::map<std::string, double> values;
  for (const auto& [part, value] : area.values) values["area." + part] = value;
  if (!energy) return values;
  values["energy.total"] = energy->total() * pJ_of_J;
  values["energy.marginal"] = energy->marginal * pJ_of_J;
  values["energy.standing"] = energy->standing * pJ_of_J;
  values["energy.per_byte"] = energy->per_byte(energy->total());
  for (std::size_t i = 0; i < energy_part_count; ++i)
    values[std::string("energy.") + energy_part_names[i]] = energy->parts[i] * pJ_of_J;
  return values;
}

std::optional<double> energy_value(const std::optional<Energy>& energy, const AreaReport& area, const std::string& name) {
  const auto values = energy_values(energy, area);
  const auto found = values.find(name);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace tributary
