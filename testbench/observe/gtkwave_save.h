#pragma once

#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/base/units.h"

namespace tributary {

/// A signal of a waveform as its display needs it.
struct DisplayedSignal {
  std::string name;
  SignalKind kind;
  unsigned width;
  std::string about;  ///< a number that the text calls a tag or an address is shown in hexadecimal
};

/// Writes the GTKWave save file of the dump `vcd`, which must lie in the same folder: signals grouped by place (switch port,
/// GPU) and within it by block, in the order of the data (input, table, output, link); zoomed to show 0 to `end`.
/// The file names the dump without a path, so that both can be moved together. Throws TraceError.
void write_gtkwave_save(const std::string& file, const std::string& vcd, const std::vector<DisplayedSignal>& signals,
                        Tick end);

}  // namespace tributary
