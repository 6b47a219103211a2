#pragma once
/// RunParameters: the parameters of all families, and of the run itself, by path.

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "modules/base/parameter_set.h"
#include "platforms/watchdog_params.h"

namespace tributary {

/// Parameters of one family, their type erased.
class FamilyParameters {
 public:
  virtual ~FamilyParameters() = default;
  virtual std::unique_ptr<FamilyParameters> clone() const = 0;
  /// By path, each begun with `prefix`. The set must not outlive this.
  virtual ParameterSet fields(const std::string& prefix) = 0;

  /// Beginning of the paths before families had names; none of a later family.
  std::optional<std::string> old_prefix;
};

template <class Params>
class TypedParameters : public FamilyParameters {
 public:
  Params value;
};

/// To be made by its family alone, for the compiler takes its time over so many fields.
template <class Params>
class ParametersOf final : public TypedParameters<Params> {
 public:
  std::unique_ptr<FamilyParameters> clone() const override { return std::make_unique<ParametersOf>(*this); }
  ParameterSet fields(const std::string& prefix) override { return ParameterSet(this->value, prefix); }
};

class RunParameters {
 public:
  /// The defaults of all families.
  RunParameters();
  RunParameters(const RunParameters& other);
  RunParameters& operator=(const RunParameters& other);
  RunParameters(RunParameters&&) = default;
  RunParameters& operator=(RunParameters&&) = default;
  ~RunParameters() = default;

  WatchdogParams watchdog;

  /// Of the family whose parameters have that type. Throws std::logic_error when there is none.
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

  /// All fields: `nvswitch.link.rate`, `watchdog.window`. Names of before families had any are known, too. The set must not
  /// outlive this.
  ParameterSet fields();

 private:
  std::vector<std::unique_ptr<FamilyParameters>> families_;  ///< in the order of families()
};

}  // namespace tributary
