#pragma once
/// GtkwaveFile: writes save files of GTKWave.

#include <string>
#include <string_view>
#include <vector>

#include "modules/base/units.h"
#include "testbench/observe/life_trace.h"
#include "testbench/observe/output_file.h"

namespace tributary {

/// Display format of a value in GTKWave.
enum class WaveFormat : std::uint8_t { binary, decimal, hexadecimal, real, steps, names };

/// Writes a GTKWave save file incrementally: the view, then groups of signals. Throws OutputError.
class GtkwaveFile {
 public:
  /// The dump `vcd` must be in the same folder and is referenced without a path, so that both can be moved together.
  GtkwaveFile(const std::string& file, const std::string& vcd);

  /// Shows `begin` to `end`, with the primary marker at `marker`; `markers`, in time order, are lines over all signals,
  /// one for all markers of an instant. A name that would be drawn over others is a line above the signals, with the letter
  /// of its marker. GTKWave requires a dump that is longer than the view or begins at 0.
  void view(Tick begin, Tick end, Tick marker, const std::vector<LifeMarker>& markers);
  void open_group(const std::string& name, bool folded = false);
  void close_group(const std::string& name, bool folded = false);
  /// `filter`: for WaveFormat::names, the file of names in the same folder.
  void wire(const std::string& signal, const std::string& label, unsigned width, WaveFormat format,
            const std::string& filter = {});
  void event(const std::string& signal, const std::string& label);
  /// Adds a line without a signal.
  void comment(const std::string& text);
  void close() { out_.close(); }

 private:
  void mark(const char* flag, const std::string& name);

  OutputFile out_;
};

/// Writes the texts that GTKWave shows for the values of a signal of `bits` bits. `names`: from 0 on, terminated by
/// null; one line each.
void write_filter(const std::string& file, const char* const* names, unsigned bits);

/// Replaces dots in a label, as GTKWave cuts it at its last dot.
std::string label_of(std::string place);
/// Converts a name to a scope. Dots are levels of the dump's hierarchy; the `>` of a link is not legal in a scope.
std::string scope_of(const std::string& place);

std::string base_name(const std::string& path);

}  // namespace tributary
