#include "testbench/run/energy/conservation.h"

#include <algorithm>
#include <stdexcept>

#include "modules/base/text_format.h"
#include "testbench/run/run_spec.h"
#include "testbench/workload/collective.h"

namespace tributary {
namespace {

/// Returns the count of all actions of a kind in a part.
double count_of(const EnergyUse& use, EnergyPart part, Action::Kind kind) {
  double count = 0;
  for (const Action& action : use.actions)
    if (action.part == part && action.kind == kind) count += action.count;
  return count;
}

bool has_part(const EnergyUse& use, EnergyPart part) {
  return std::any_of(use.actions.begin(), use.actions.end(), [&](const Action& a) { return a.part == part; });
}

/// An all-reduce is the collective of two passes over the message that adds operands.
bool is_all_reduce(const JobSpec& job) {
  const Collective& collective = collective_of(job.collective);
  return collective.reduces && collective.passes == 2 && !collective.signals();
}

/// Returns true if sums or accesses happen where nothing counts them.
bool lacks_counts(const EnergyUse& use) {
  return std::any_of(use.not_included.begin(), use.not_included.end(), [](const std::string& what) {
    return what.rfind("counter ", 0) == 0 || what.rfind("links and kernels", 0) == 0;
  });
}

}  // namespace

std::string conservation_fault(const EnergyUse& use, const JobSpec& job, const ResultRow& row) {
  if (!is_all_reduce(job) || lacks_counts(use)) return "";
  const auto ranks = static_cast<double>(job.ranks.size());
  const double sums = count_of(use, EnergyPart::adders, Action::Kind::add);
  const double least_sums = (ranks - 1) * static_cast<double>(row.count);
  if (sums < least_sums) return "conservation: " + fixed(sums, 0) + " sums, an all-reduce needs " + fixed(least_sums, 0);
  const double bytes = count_of(use, EnergyPart::memory, Action::Kind::bit) / 8;
  const double operands = ranks * static_cast<double>(row.size_bytes);
  if (ranks > 1 && has_part(use, EnergyPart::memory) && bytes < operands)
    return "conservation: memory moves " + fixed(bytes, 0) + " B, the operands have " + fixed(operands, 0) + " B";
  return "";
}

#ifndef NDEBUG
void check_conservation(const RunSpec& spec, const RunParameters& params, const ResultRow& row) {
  if (spec.jobs.size() != 1) return;
  const auto use = energy_use(spec, params, row);
  const std::string fault = use ? conservation_fault(*use, spec.jobs.front(), row) : "";
  if (!fault.empty()) throw std::logic_error(fault);
}
#endif

}  // namespace tributary
