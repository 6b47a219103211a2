#include "testbench/report/html/energy_section.h"

#include "modules/base/field_type.h"
#include "modules/base/text_format.h"
#include "testbench/report/energy_report.h"
#include "testbench/report/html/page.h"
#include "testbench/report/plot/energy_bars.h"

namespace tributary::html {

std::string energy_section(const Energy& energy, const std::string& label) {
  const auto per_byte = [&](double joules) { return energy.per_byte(joules); };
  plot::EnergyBar bar{label, {}, per_byte(energy.standing), per_byte(energy.low), per_byte(energy.high)};
  for (std::size_t i = 0; i < energy_part_count; ++i)
    if (energy.parts[i] > 0) bar.parts.emplace_back(energy_part_names[i], per_byte(energy.parts[i]));
  const plot::EnergyDrawing drawing = plot::draw_energy({bar});
  std::vector<std::vector<std::string>> cells;
  for (const PricedAction& a : energy.actions)
    cells.push_back({energy_part_names[static_cast<std::size_t>(a.action.part)], a.action.component,
                     fixed(a.action.count, 0), fixed(a.price_pJ, 4), energy_number(per_byte(a.joules))});
  for (const auto& [power, watts] : energy.powers)
    if (power.count * watts > 0)
      cells.push_back({"standing", power.device, fixed(power.count, 0), print_real(watts) + " W", ""});
  std::string lacks;
  for (const std::string& what : energy.not_included) lacks += (lacks.empty() ? "" : ", ") + what;
  return drawing.svg.element(drawing.width, drawing.height, "energy per byte, by part") +
         table({"part", "component", "count", "pJ each", "pJ per byte"}, cells) +
         paragraph("Not included: " + lacks + ".", "soft");
}

}  // namespace tributary::html
