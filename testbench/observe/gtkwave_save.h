#pragma once

#include <string>
#include <vector>

#include "modules/base/units.h"
#include "testbench/observe/traced_signal.h"

namespace tributary {

/// Writes the GTKWave save file of the dump `vcd`, which must lie in the same folder: signals grouped by place (switch port,
/// GPU) and within it by block, in the order of the data (input, table, output, link); it shows 0 to `end`, with the
/// marker at `begin`, the first change. What never changed is folded away. Numbers are decimal; opcodes have
/// names, by a filter file FILE.names beside it. The file names the others without a path, so that all can be moved
/// together. Throws OutputError.
void write_gtkwave_save(const std::string& file, const std::string& vcd, const std::vector<TracedSignal>& signals,
                        Tick begin, Tick end);

}  // namespace tributary
