#pragma once
/// ProgramPart: an executor of part of a StreamProgram inside a GPU's device, in addition to its streams, such as channels.

#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/base/units.h"
#include "modules/streams/core/stream_program.h"

namespace tributary {

/// All times are exact, and at or after the time of the SystemC kernel. Calls within an instant have no defined order, and
/// no decision may depend on it.
class ProgramPart {
 public:
  virtual ~ProgramPart() = default;
  /// Starts the program at `t0`. The program stays valid until the next call. Throws std::invalid_argument, in one line.
  virtual void post(const StreamProgram& program, Tick t0) = 0;
  /// Returns the time of the next decision, or `never` if it is not known.
  virtual Tick next() const = 0;
  /// Makes all decisions up to and including `now`.
  virtual void handle(Tick now) = 0;
  /// True if the part has ended, as of the latest handle() or callback.
  virtual bool done() const = 0;
  /// Returns one line for each item that waits, without the name of the GPU; empty when quiescent.
  virtual std::vector<std::string> waiting() const = 0;
  virtual void reset() = 0;
  virtual void describe(ProbeDirectory& directory, const std::string& prefix) = 0;
};

}  // namespace tributary
