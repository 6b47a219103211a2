#pragma once
/// Writes the header of a value change dump.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "testbench/observe/output_file.h"

namespace tributary {

/// A `$var` of a value change dump.
struct VcdVariable {
  std::string path;  ///< hierarchical name; dots separate scopes
  enum class Type : std::uint8_t { wire, event, real, text } type;
  unsigned width;    ///< bits of a wire
  std::string code;  ///< identifier code in the dump
};

/// Returns the identifier code of the n-th variable: base 94 in printable characters, shortest first.
std::string vcd_code(std::size_t n);

/// Writes everything up to `$enddefinitions`: timescale 1 ps, each scope once and properly nested. There is no date, so
/// that equal runs give equal files.
void write_vcd_header(OutputFile& out, std::vector<VcdVariable> variables);

}  // namespace tributary
