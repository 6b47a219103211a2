#pragma once
/// ProbeSignal: a probe of the model as a sc_signal, for sc_trace and for modules of the user's own.

#include <cstdint>
#include <map>
#include <string>
#include <systemc>

#include "modules/base/probe.h"

namespace tributary {

/// Devices run ahead of the kernel's time, so a probe fires early; the signals change when the kernel's time has reached the
/// time of the firing. The last of several values of one time stays. Construct it during elaboration.
class ProbeSignal : public sc_core::sc_module {
 public:
  sc_core::sc_signal<std::uint64_t> value{"value"};  ///< level, number of the last firing, or sum of the changes so far
  sc_core::sc_signal<std::uint64_t> count{"count"};  ///< firings so far

  ProbeSignal(const sc_core::sc_module_name& name, SignalProbe& probe, SignalKind kind);
  /// A signal probe of a directory by its name. Throws std::invalid_argument if there is none.
  ProbeSignal(const sc_core::sc_module_name& name, const ProbeDirectory& probes, const std::string& probe);

  /// Returns the number of firings for a time before the kernel's; they take effect at once.
  std::uint64_t late() const { return late_; }

 private:
  void fired(Tick time, std::uint64_t number);
  void act();

  SignalKind kind_;
  std::multimap<Tick, std::uint64_t> pending_;
  std::uint64_t value_ = 0, count_ = 0, late_ = 0;
  sc_core::sc_event act_;
};

/// Adds `value` and, for events, `count` to a trace file of SystemC, as NAME and NAME_count.
void sc_trace(sc_core::sc_trace_file* file, const ProbeSignal& signal, const std::string& name);

}  // namespace tributary
