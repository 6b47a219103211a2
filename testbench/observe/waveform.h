#pragma once

#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/base/units.h"
#include "testbench/observe/gtkwave_save.h"
#include "testbench/observe/signal_taps.h"
#include "testbench/observe/vcd_writer.h"

namespace tributary {

/// Records the signals that some globs select as a value change dump FILE with exact times, and beside it FILE.gtkw,
/// a GTKWave save file that groups them by block. Probes that are not selected cost nothing.
///
/// Make it before the cores announce their first levels (at their first `reset`). It must outlive the last firing.
class Waveform {
 public:
  /// No glob selects all signals. Throws TraceError when a glob selects none (naming the nearest), OutputError
  /// when a file cannot be written.
  Waveform(const ProbeDirectory& probes, const std::vector<std::string>& globs, const std::string& file);
  /// Finishes a waveform that an error or a signal cut short, as far as that is possible.
  ~Waveform();
  Waveform(const Waveform&) = delete;
  Waveform& operator=(const Waveform&) = delete;

  /// Writes what is stamped before `watermark`. Call it now and then with a time before which no device decides any more,
  /// for instance the kernel's time between two calls of sc_start: this bounds the memory of what is held back.
  void advance(Tick watermark) { writer_.advance(watermark); }
  /// Writes the rest. The file ends with the last change, not with the kernel's time, in which the engines differ. Throws
  /// OutputError.
  void finish();

  std::size_t signals() const { return shown_.size(); }

 private:
  std::string file_;
  std::vector<TracedSignal> shown_;  ///< before the writer: a wrong glob leaves no file
  VcdWriter writer_;
  SignalTaps taps_;
  bool finished_ = false;
};

}  // namespace tributary
