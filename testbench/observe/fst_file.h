#pragma once
/// Waveforms in GTKWave's format FST, which is some five times smaller than a value change dump.

#include <string>

namespace tributary {

/// True if the name ends in `.fst`.
bool is_fst(const std::string& file);

/// Throws TraceError, one line, unless GTKWave's vcd2fst is in a folder of PATH.
void require_fst_converter(const std::string& file);

/// Converts a value change dump to `file`, and removes it. Throws OutputError.
void convert_to_fst(const std::string& dump, const std::string& file);

}  // namespace tributary
