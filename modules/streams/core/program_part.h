#pragma once
/// ProgramPart: what carries out its part of a StreamProgram inside a GPU's device, beside the streams: channels.

#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/base/units.h"
#include "modules/streams/core/stream_program.h"

namespace tributary {

/// All times are exact, and lie ahead of the kernel's. Within an instant calls come in no particular order, so what it
/// decides then must not depend on it.
class ProgramPart {
 public:
  virtual ~ProgramPart() = default;
  /// Begins at `t0`; the program stands until the next one. Throws std::invalid_argument, one line.
  virtual void post(const StreamProgram& program, Tick t0) = 0;
  /// Of its next decision, as far as is known.
  virtual Tick next() const = 0;
  /// Decides all up to and including `now`.
  virtual void handle(Tick now) = 0;
  /// All of its part has ended; that is, at the time of the latest handle() or call back.
  virtual bool done() const = 0;
  /// One line for each thing that waits, below the GPU's name; empty when quiescent.
  virtual std::vector<std::string> waiting() const = 0;
  virtual void reset() = 0;
  virtual void describe(ProbeDirectory& directory, const std::string& prefix) = 0;
};

}  // namespace tributary
