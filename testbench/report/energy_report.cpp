#include "testbench/report/energy_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "modules/base/field_type.h"
#include "modules/base/text_format.h"

namespace tributary {
namespace {

using Json = nlohmann::ordered_json;

/// Returns `12 switches of 50 W`.
std::string devices_text(const StandingPower& power, double watts) {
  const std::string device = power.device;
  const bool one = power.count == 1;
  const bool hisses = !device.empty() && device.back() == 'h';
  return fixed(power.count, 0) + " " + device + (one ? "" : hisses ? "es" : "s") + " of " + print_real(watts) + " W";
}

/// Returns the parts with an action, largest first.
std::vector<std::pair<std::string, double>> sorted_parts(const Energy& energy) {
  std::vector<std::pair<std::string, double>> parts;
  for (std::size_t i = 0; i < energy_part_count; ++i)
    if (energy.has[i]) parts.emplace_back(energy_part_names[i], energy.parts[i]);
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return parts;
}

}  // namespace

std::string energy_number(double x) { return fixed(x, x >= 99.95 ? 0 : x >= 9.995 ? 1 : 2); }

Json energy_json(const Energy& energy) {
  Json parts = Json::object(), prices = Json::object();
  for (std::size_t i = 0; i < energy_part_count; ++i)
    if (energy.has[i]) parts[energy_part_names[i]] = energy.parts[i];
  for (const auto& [name, price] : energy.prices) prices[name] = price;
  return {{"per_byte_pJ", energy.per_byte(energy.total())},
          {"marginal_J", energy.marginal},
          {"standing_J", energy.standing},
          {"parts", parts},
          {"range", {energy.per_byte(energy.low), energy.per_byte(energy.high)}},
          {"prices", prices},
          {"not_included", energy.not_included}};
}

Json area_json(const AreaReport& area) {
  Json json = Json::object();
  for (const auto& [name, value] : area.values) json[name] = value;
  return json;
}

namespace {

/// Prints a sum of energy, its parts, and what it lacks.
struct EnergyWords {
  std::string about;    ///< ` of 64KiB`; may be empty
  std::string unit;     ///< `pJ per reduced byte`
  std::string of_part;  ///< `pJ/B`
  std::string without;  ///< `computation, `; may be empty
  double of_joule = 0;  ///< units in a joule
};

std::string lines_of(const Energy& energy, double seconds, const EnergyWords& words) {
  const auto of = [&](double joules) { return energy_number(joules * words.of_joule); };
  std::string devices;
  for (const auto& [power, watts] : energy.powers)
    if (power.count * watts > 0) devices += (devices.empty() ? " (" : ", ") + devices_text(power, watts);
  if (!devices.empty()) devices += " for " + fixed(seconds * 1e6, 2) + " us)";
  std::string text = "# energy" + words.about + ": " + of(energy.total()) + " (" + of(energy.low) + " to " +
                     of(energy.high) + ") " + words.unit + ": " + of(energy.marginal) + " marginal, " + of(energy.standing) +
                     " standing" + devices + "\n#  ";
  for (const auto& [name, joules] : sorted_parts(energy)) text += " " + name + " " + of(joules) + " ";
  const bool idle_gpus =
      std::find(energy.not_included.begin(), energy.not_included.end(), "GPUs while they wait") != energy.not_included.end();
  return text + words.of_part + "; without " + words.without + (idle_gpus ? "waiting GPUs, " : "") +
         "hosts, optics (docs/energy.md)\n";
}

}  // namespace

std::string energy_text(const Energy& energy, double seconds, const std::string& label) {
  return lines_of(
      energy, seconds,
      {label.empty() ? "" : " of " + label, std::string("pJ per ") + (energy.reduces ? "reduced" : "moved") + " byte",
       "pJ/B", "", energy.bytes > 0 ? 1e12 / energy.bytes : 0});
}

std::string step_energy_text(const Energy& energy, double seconds) {
  const bool small = energy.total() < 1e-3;
  const std::string unit = small ? "uJ" : "mJ";
  return lines_of(energy, seconds, {" of communication", unit + " an iteration", unit, "computation, ", small ? 1e6 : 1e3});
}

Json step_energy_json(const Energy& energy) {
  Json json = energy_json(energy);
  json.erase("per_byte_pJ");
  json["range"] = {energy.low, energy.high};
  return json;
}

}  // namespace tributary
