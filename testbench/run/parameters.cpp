#include "testbench/run/parameters.h"

#include "testbench/run/family.h"

namespace tributary {

RunParameters::RunParameters() {
  for (const Family* family : families()) families_.push_back(family->parameters());
}

RunParameters::RunParameters(const RunParameters& other) : watchdog(other.watchdog), prices(other.prices) {
  for (const auto& family : other.families_) families_.push_back(family->clone());
}

RunParameters& RunParameters::operator=(const RunParameters& other) { return *this = RunParameters(other); }

ParameterSet RunParameters::fields() {
  ParameterSet all;
  for (std::size_t i = 0; i < families_.size(); ++i) {
    const Family& family = *families().at(i);
    const std::string prefix = family.name() + ".";
    all.append(families_[i]->fields(prefix));
    if (const auto& old = families_[i]->old_prefix) all.rename(*old, prefix);
  }
  all.append(ParameterSet(watchdog, "watchdog."));
  all.append(ParameterSet(prices));
  return all;
}

}  // namespace tributary
