#pragma once
/// Writes the GTKWave save file of a waveform.

#include <cstddef>
#include <string>
#include <vector>

#include "modules/base/units.h"
#include "testbench/observe/traced_signal.h"

namespace tributary {

/// Rows that fit into a window of GTKWave.
inline constexpr std::size_t rows_open = 40;

/// The dump `vcd` must be in the same folder. Signals are grouped by device or port, and within it by block, in the
/// order of the data (input, table, output, link). The view spans 0 to `end`, with the marker at the first change,
/// `begin`. Groups are open as long as about `rows_open` rows are visible; the first is always open. Signals that never
/// changed are folded, unless all rows fit. Numbers are decimal; opcodes have names from a filter file FILE.names. Files are
/// referenced without a path, so that all can be moved together. Throws OutputError.
void write_gtkwave_save(const std::string& file, const std::string& vcd, const std::vector<TracedSignal>& signals,
                        Tick begin, Tick end);

}  // namespace tributary
