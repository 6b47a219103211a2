#include "testbench/observe/waveform.h"

#include <exception>

#include "modules/base/sysc/time_resolution.h"
#include "testbench/observe/signal_selection.h"

namespace tributary {

Waveform::Waveform(const ProbeDirectory& probes, const std::vector<std::string>& globs, const std::string& file)
    : file_((require_picoseconds(), file)),
      shown_(select_signals(probes, globs)),
      writer_(file),
      taps_(probes, shown_, writer_) {
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
  writer_.finish();
  for (std::size_t i = 0; i < shown_.size(); ++i) shown_[i].silent = !writer_.changed(taps_.signal(i));
  write_gtkwave_save(file_ + ".gtkw", file_, shown_, writer_.first_written(), writer_.written());
}

}  // namespace tributary
