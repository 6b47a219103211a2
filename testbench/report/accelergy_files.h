#pragma once
/// Files for Accelergy, which prices the same actions with tables of its own (docs/energy.md#accelergy).

#include <string>

#include "testbench/run/energy/energy.h"

namespace tributary {

/// Return the contents of `action_counts.yaml` and `architecture.yaml`, form 0.3. There is a row for each kind of component,
/// with the counts of all instances together.
std::string accelergy_counts(const Energy& energy);
std::string accelergy_architecture(const Energy& energy, double node);

}  // namespace tributary
