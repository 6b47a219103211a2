#pragma once
/// Conservation: laws that the counts of a finished all-reduce obey (docs/energy.md#actions). Builds with assertions check
/// each row of a run.

#include <string>

#include "testbench/run/energy/energy.h"

namespace tributary {

struct JobSpec;

/// Returns the law that the actions of an all-reduce violate, one line; empty if both hold, and for a row that cannot be
/// checked: another collective, or one whose `use` lacks counters or parts of the hardware.
/// - n ranks need at least (n - 1) x count sums, wherever they happen; headers, padding and whole blocks are added, too.
/// - Memory is read for all operands: it moves at least n x size bytes.
std::string conservation_fault(const EnergyUse& use, const JobSpec& job, const ResultRow& row);

/// With assertions, throws std::logic_error where the counts of a row violate conservation. Otherwise does nothing.
#ifdef NDEBUG
inline void check_conservation(const RunSpec&, const RunParameters&, const ResultRow&) {}
#else
void check_conservation(const RunSpec& spec, const RunParameters& params, const ResultRow& row);
#endif

}  // namespace tributary
