#pragma once

#include <string>

#include "testbench/run/energy/energy.h"

namespace tributary::html {

/// Returns the energy of a row: a bar of its parts and a table of its actions, with prices.
std::string energy_section(const Energy& energy, const std::string& label);

}  // namespace tributary::html
