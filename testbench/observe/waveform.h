#pragma once
/// Waveform: records signals of a run.

#include <memory>
#include <string>
#include <utility>
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

  /// Adds a signal of the user's own, for example one in `top.`; call it before the simulation starts (testbench/observe/
  /// signal_trace.h traces a sc_signal). `width`: 1 to 64 bits. Throws std::logic_error after begin().
  VcdWriter::Signal add(const std::string& name, SignalKind kind, unsigned width);
  /// Records a value of such a signal; a real as VcdWriter::bits_of().
  void change(VcdWriter::Signal signal, Tick time, std::uint64_t value) { writer_.change(signal, time, value); }
  /// Writes the header: from now on the signals are complete. The first advance() or finish() does it otherwise. Throws
  /// OutputError.
  void begin();
  /// Keeps an object until the waveform ends.
  void keep(std::shared_ptr<void> object) { kept_.push_back(std::move(object)); }

  /// Writes all changes before `watermark`. Should be called regularly with a time before which no device acts any
  /// more, for example the kernel's time between two calls of sc_start; this bounds the memory of held changes.
  void advance(Tick watermark) {
    if (!started_) begin();
    writer_.advance(watermark);
  }
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
  std::vector<VcdWriter::Signal> own_;  ///< the last signals of shown_
  std::vector<std::shared_ptr<void>> kept_;
  bool started_ = false, finished_ = false;
};

}  // namespace tributary
