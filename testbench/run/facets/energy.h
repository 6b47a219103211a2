#pragma once
/// FamilyEnergy: the actions of a row of results that cost energy, and the area of the hardware (docs/energy.md).

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "modules/base/element.h"

namespace tributary {

struct RunSpec;
struct ResultRow;
class RunParameters;

/// Parts of a machine, in the order of all reports.
enum class EnergyPart : std::uint8_t { links, switches, nics, memory, tables, adders, buffers, accelerator, kernels };
inline constexpr std::size_t energy_part_count = 9;
inline constexpr std::array<const char*, energy_part_count> energy_part_names{
    "links", "switches", "nics", "memory", "tables", "adders", "buffers", "accelerator", "kernels"};

/// Equal actions of all components of one kind.
struct Action {
  enum class Kind : std::uint8_t {
    bit,    ///< at `price`, pJ
    byte,   ///< at `price`, pJ
    add,    ///< sums of `type`; minima and maxima cost an integer sum
    read,   ///< bytes read from an SRAM of `array_bytes`
    write,  ///< bytes written to it
    search  ///< bits that a search of an associative table compares
  };
  EnergyPart part = EnergyPart::links;
  const char* component = "";  ///< `switch.table`
  Kind kind = Kind::bit;
  double count = 0;
  const char* price = "";         ///< parameter of a bit or byte
  std::uint64_t array_bytes = 0;  ///< bytes of one array
  std::uint64_t instances = 1;    ///< components of this kind
  bool fpga = false;              ///< the component is part of an FPGA
  ElementType type = ElementType::f32;
  ReduceOp op = ReduceOp::sum;
};

/// Devices that draw power whatever happens.
struct StandingPower {
  const char* device = "";  ///< `switch`
  double count = 0;
  const char* price = "";  ///< parameter of the power of one, W
};

/// Rate of all links of a kind together, for energy.link.idle_share.
struct LinkCapacity {
  const char* price = "";
  double bits_per_second = 0;
};

struct EnergyUse {
  std::vector<Action> actions;
  std::vector<StandingPower> standing;
  std::vector<LinkCapacity> links;
  std::vector<std::string> not_included;  ///< for want of a counter, in addition to standard_exclusions
};

/// Area of one device, mm2, by part: `tables`, `adders` ...; values of FPGAs are counts.
struct AreaReport {
  std::vector<std::pair<std::string, double>> values;
  std::string text;  ///< lines that begin with `# `; empty: none
};

class FamilyEnergy {
 public:
  virtual ~FamilyEnergy() = default;

  /// Returns the actions of a row that has finished. Depends on nothing that a result file does not hold: the platform, the
  /// jobs, the parameters, links, counters and time. `params`: without automatic values.
  virtual EnergyUse use(const RunSpec& spec, const RunParameters& params, const ResultRow& row) const = 0;
  /// Returns no values where area is not modelled.
  virtual AreaReport area(const RunSpec& /*spec*/, const RunParameters& /*params*/) const { return {}; }
};

}  // namespace tributary
