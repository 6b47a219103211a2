#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "modules/base/units.h"
#include "testbench/observe/life_trace.h"
#include "testbench/observe/output_file.h"

namespace tributary {

/// How GTKWave draws a value.
enum class WaveFormat : std::uint8_t { binary, decimal, real, steps, names };

/// Writes a GTKWave save file piece by piece: view, then groups of signals. Throws OutputError.
class GtkwaveFile {
 public:
  /// The dump `vcd` lies in the same folder, and is named without a path, so that both can be moved together.
  GtkwaveFile(const std::string& file, const std::string& vcd);

  /// The screen shows `begin` to `end`; the primary marker stands at `marker`, and `markers`, in order of time, are lines over
  /// all signals, one for all of an instant. GTKWave wants a dump that is longer than what it shows, or begins at 0.
  void view(Tick begin, Tick end, Tick marker, const std::vector<LifeMarker>& markers);
  void open_group(const std::string& name, bool folded = false);
  void close_group(const std::string& name, bool folded = false);
  /// `filter`: file of names beside the save file, for WaveFormat::names.
  void wire(const std::string& signal, const std::string& label, unsigned width, WaveFormat format,
            const std::string& filter = {});
  void event(const std::string& signal, const std::string& label);
  /// A line without a signal.
  void comment(const std::string& text);
  void close() { out_.close(); }

 private:
  void mark(const char* flag, const std::string& name);

  OutputFile out_;
};

/// Writes what GTKWave shows for the values of a signal of `bits` bits, `names` from 0 on, then null: one line each.
void write_filter(const std::string& file, const char* const* names, unsigned bits);

/// GTKWave cuts a label at its last dot.
std::string label_of(std::string place);
/// Dots in a scope are levels of the dump's hierarchy; `>` of a link would not be a name there.
std::string scope_of(const std::string& place);

std::string base_name(const std::string& path);

}  // namespace tributary
