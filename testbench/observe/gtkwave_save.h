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
  std::string about;    ///< a number that the text calls a tag or an address is shown in hexadecimal
  bool silent = false;  ///< a strobe that has never fired
};

/// Writes the GTKWave save file of the dump `vcd`, which must lie in the same folder: signals grouped by place (switch port,
/// GPU) and within it by block, in the order of the data (input, table, output, link); zoomed to show 0 to `end`, with the
/// marker at `begin`. Silent strobes are folded away. The file names the dump without a path, so that both can be moved
/// together. Throws OutputError.
void write_gtkwave_save(const std::string& file, const std::string& vcd, const std::vector<DisplayedSignal>& signals,
                        Tick begin, Tick end);

}  // namespace tributary
