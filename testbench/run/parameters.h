#pragma once
/// RunParameters: the parameters of all families, and of the run itself, by path.

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "modules/base/parameter_set.h"
#include "platforms/technology_params.h"
#include "platforms/watchdog_params.h"

namespace tributary {

/// Parameters of one family, with their type erased.
class FamilyParameters {
 public:
  virtual ~FamilyParameters() = default;
  virtual std::unique_ptr<FamilyParameters> clone() const = 0;
  /// Returns the fields by path; each path begins with `prefix`. The set must not outlive this object.
  virtual ParameterSet fields(const std::string& prefix) = 0;

  /// Prefix of the paths before families had names; empty for later families.
  std::optional<std::string> old_prefix;
};

template <class Params>
class TypedParameters : public FamilyParameters {
 public:
  Params value;
};

/// Only the family itself should construct this type, because so many fields take long to compile.
template <class Params>
class ParametersOf final : public TypedParameters<Params> {
 public:
  std::unique_ptr<FamilyParameters> clone() const override { return std::make_unique<ParametersOf>(*this); }
  ParameterSet fields(const std::string& prefix) override { return ParameterSet(this->value, prefix); }
};

class RunParameters {
 public:
  /// Constructs the default values of all families.
  RunParameters();
  RunParameters(const RunParameters& other);
  RunParameters& operator=(const RunParameters& other);
  RunParameters(RunParameters&&) = default;
  RunParameters& operator=(RunParameters&&) = default;
  ~RunParameters() = default;

  WatchdogParams watchdog;
  PriceParams prices;  ///< price results and change no run

  /// Returns the parameters of the family with this parameter type. Throws std::logic_error if there is none.
  template <class Params>
  Params& of() {
    for (const auto& family : families_)
      if (auto* typed = dynamic_cast<TypedParameters<Params>*>(family.get())) return typed->value;
    throw std::logic_error("no family has parameters of this type");
  }
  template <class Params>
  const Params& of() const {
    return const_cast<RunParameters*>(this)->of<Params>();
  }

  /// Returns all fields: `nvswitch.link.rate`, `watchdog.window`, `energy.memory.bit`. The set also knows the names from
  /// before families had names. It must not outlive this object.
  ParameterSet fields();

 private:
  std::vector<std::unique_ptr<FamilyParameters>> families_;  ///< in the order of families()
};

}  // namespace tributary
