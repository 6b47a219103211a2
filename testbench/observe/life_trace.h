#pragma once
/// LifeTrace: interface of a trace of one object over a whole machine: a block, a chunk, a slot.

#include <string>

#include "modules/base/units.h"

namespace tributary {

/// A named instant in the life of the traced object.
struct LifeMarker {
  std::string name;
  Tick time;
};

/// Must be attached to probes before the run and outlive the last firing.
class LifeTrace {
 public:
  virtual ~LifeTrace() = default;

  /// Discards all events so far.
  virtual void reset() = 0;
  /// Returns the table of time, name and event; each line begins with `# `. Times are in ns from `epoch`.
  virtual std::string text(Tick epoch) const = 0;
  /// Writes a value change dump FILE and a save file FILE.gtkw in temporal order. Throws OutputError.
  virtual void write_waveform(const std::string& file) const = 0;
};

}  // namespace tributary
