#include "testbench/observe/waveform.h"

#include <exception>

#include "testbench/observe/signal_selection.h"

namespace tributary {

Waveform::Waveform(const ProbeDirectory& probes, const std::vector<std::string>& globs, const std::string& file)
    : file_(file), shown_(select_signals(probes, globs)), writer_(file) {
  attach(probes);
  writer_.start();
  write_gtkwave_save(file_ + ".gtkw", file_, shown_, 0, 0);
}

Waveform::~Waveform() {
  try {
    finish();
  } catch (const std::exception&) {
    // finish() has been called before by the owner of the file, and has reported the error.
  }
}

void Waveform::attach(const ProbeDirectory& probes) {
  taps_.reserve(shown_.size());  // the probes keep pointers
  for (const DisplayedSignal& s : shown_) {
    taps_.push_back({&writer_, writer_.add(s.name, s.kind, s.width)});
    auto* probe = static_cast<SignalProbe*>(probes.entries().at(s.name).probe);
    probe->attach(&taps_.back(), [](void* observer, Tick time, std::uint64_t value) {
      const Tap& tap = *static_cast<Tap*>(observer);
      tap.writer->change(tap.signal, time, value);
    });
  }
}

void Waveform::finish() {
  if (finished_) return;
  finished_ = true;
  writer_.finish();
  for (std::size_t i = 0; i < shown_.size(); ++i) shown_[i].silent = !writer_.fired(taps_[i].signal);
  write_gtkwave_save(file_ + ".gtkw", file_, shown_, writer_.first_written(), writer_.written());
}

}  // namespace tributary
