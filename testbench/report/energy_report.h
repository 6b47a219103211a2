#pragma once
/// Energy and area of a run for the screen and the JSON (docs/energy.md).

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "testbench/run/energy/energy.h"

namespace tributary {

/// Returns the object `energy` of a row.
nlohmann::ordered_json energy_json(const Energy& energy);
/// Returns the object `area` of a document.
nlohmann::ordered_json area_json(const AreaReport& area);

/// Returns two lines that begin with `# `. `label`: the message, if a run has several.
std::string energy_text(const Energy& energy, double seconds, const std::string& label = "");

/// Return the energy of the communication of an iteration of a training: an object, and two lines that begin with `# `.
nlohmann::ordered_json step_energy_json(const Energy& energy);
std::string step_energy_text(const Energy& energy, double seconds);

/// Prints at most three significant digits and two decimals: 371, 62.7, 2.13, 0.13.
std::string energy_number(double x);

}  // namespace tributary
