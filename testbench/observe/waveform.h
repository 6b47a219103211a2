#pragma once
/// Waveform: records signals of a run.

#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/base/units.h"
#include "testbench/observe/gtkwave_save.h"
#include "testbench/observe/signal_taps.h"
#include "testbench/observe/vcd_writer.h"

namespace tributary {

/// Records the signals that the globs select as a value change dump FILE with exact times, and a GTKWave save file
/// FILE.gtkw that groups them by block. Unselected probes cost nothing.
///
/// Must be constructed before the cores announce their first levels (at their first `reset`), and outlive the last
/// firing.
class Waveform {
 public:
  /// An empty list of globs selects all signals. Throws TraceError if a glob selects none (naming the nearest), and
  /// OutputError if a file cannot be written.
  Waveform(const ProbeDirectory& probes, const std::vector<std::string>& globs, const std::string& file);
  /// Completes, if possible, a waveform that was cut short by an error or a signal.
  ~Waveform();
  Waveform(const Waveform&) = delete;
  Waveform& operator=(const Waveform&) = delete;

  /// Writes all changes before `watermark`. Should be called regularly with a time before which no device acts any
  /// more, for example the kernel's time between two calls of sc_start; this bounds the memory of held changes.
  void advance(Tick watermark) { writer_.advance(watermark); }
  /// Writes the remaining changes. The file ends with the last change, not with the kernel's time, which differs
  /// between the modes. Throws OutputError.
  void finish();

  std::size_t signals() const { return shown_.size(); }
  /// VcdWriter::notes.
  std::vector<std::string> notes() const { return writer_.notes(); }

 private:
  std::string file_;
  std::vector<TracedSignal> shown_;  ///< declared before the writer, so that a wrong glob leaves no file
  VcdWriter writer_;
  SignalTaps taps_;
  bool finished_ = false;
};

}  // namespace tributary
