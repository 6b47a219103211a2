#include "testbench/observe/waveform.h"

#include <exception>
#include <stdexcept>

#include "modules/base/sysc/time_resolution.h"
#include "testbench/observe/signal_selection.h"

namespace tributary {

Waveform::Waveform(const ProbeDirectory& probes, const std::vector<std::string>& globs, const std::string& file)
    : file_((require_picoseconds(), file)),
      shown_(select_signals(probes, globs)),
      writer_(file),
      taps_(probes, shown_, writer_) {}

VcdWriter::Signal Waveform::add(const std::string& name, SignalKind kind, unsigned width) {
  if (started_) throw std::logic_error("signal '" + name + "' is added to a waveform that is being written");
  shown_.push_back({name, kind, width, "signal of the user's own"});
  own_.push_back(writer_.add(name, kind, width));
  return own_.back();
}

void Waveform::begin() {
  started_ = true;
  writer_.start();
  write_gtkwave_save(file_ + ".gtkw", file_, shown_, 0, 0);
}

Waveform::~Waveform() {
  try {
    finish();
  } catch (const std::exception&) {
    // The owner of the file has called finish() before, which has reported the error.
  }
}

void Waveform::finish() {
  if (finished_) return;
  finished_ = true;
  if (!started_) begin();
  writer_.finish();
  const std::size_t tapped = shown_.size() - own_.size();
  for (std::size_t i = 0; i < shown_.size(); ++i)
    shown_[i].silent = !writer_.changed(i < tapped ? taps_.signal(i) : own_[i - tapped]);
  write_gtkwave_save(file_ + ".gtkw", file_, shown_, writer_.first_written(), writer_.written());
}

}  // namespace tributary
