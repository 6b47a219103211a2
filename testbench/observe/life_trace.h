#pragma once
/// LifeTrace: one thing followed over a whole machine, whatever it is there: a block, a chunk, a slot.

#include <string>

#include "modules/base/units.h"

namespace tributary {

/// A named instant in the life of what is followed.
struct LifeMarker {
  std::string name;
  Tick time;
};

/// Attached to probes before the run; it outlives the last firing.
class LifeTrace {
 public:
  virtual ~LifeTrace() = default;

  /// Forgets what has happened so far.
  virtual void reset() = 0;
  /// The table of time, place and event, one line each, begun with `# `. Times in ns from `epoch`.
  virtual std::string text(Tick epoch) const = 0;
  /// As a value change dump FILE, and beside it FILE.gtkw, in the order of its life. Throws OutputError.
  virtual void write_waveform(const std::string& file) const = 0;
};

}  // namespace tributary
