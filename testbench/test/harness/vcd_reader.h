#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tributary {

/// A value change dump, read by the rules of IEEE 1364, with variables of type `string` (GTKWave). Throws std::runtime_error
/// on any violation.
struct VcdFile {
  struct Change {
    std::uint64_t time;
    std::string value;  ///< binary digits or x; "1" for an event; decimal digits for a real; a text
    bool operator==(const Change& o) const { return time == o.time && value == o.value; }
  };
  struct Variable {
    std::string type;
    unsigned width = 0;
    std::string initial;  ///< from `$dumpvars`
    std::vector<Change> changes;
  };
  std::string timescale;
  std::map<std::string, Variable> variables;  ///< by hierarchical name
  std::uint64_t end = 0;                      ///< last time stamp

  const Variable& at(const std::string& name) const { return variables.at(name); }
};

VcdFile read_vcd(const std::string& file);

std::string read_text(const std::string& file);

}  // namespace tributary
