#pragma once
/// Energy and area in the rows of the table of a sweep (docs/energy.md#sweeps).

#include <nlohmann/json_fwd.hpp>

#include "platforms/technology_params.h"

namespace tributary {

/// Adds energy and area to each finished row of a result, as entries such as `energy.per_byte_pJ` and `area.reduction_mm2`,
/// at `prices` instead of those of the document. Rows of a training get the energy of a mean iteration, which the document
/// holds. Rows without energy stay as they are.
void add_energy_columns(nlohmann::ordered_json& document, const PriceParams& prices);

}  // namespace tributary
