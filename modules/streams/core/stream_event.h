#pragma once
/// StreamCommandEvent: a change of the state of one command of a stream, for observers.

#include "modules/base/probe.h"
#include "modules/streams/core/stream_program.h"

namespace tributary {

struct StreamCommandEvent {
  enum class Kind : std::uint8_t {
    begun,    ///< the command is the head of its queue; a copy now waits for an engine and links
    granted,  ///< an engine and links are granted to a copy
    ended,    ///< the command has ended; the last flit of a copy has left
  };
  Kind kind = Kind::begun;
  const StreamCommand* command = nullptr;
  unsigned queue = 0, engine = 0;  ///< `engine` is valid for a copy once it is granted
  Tick starved = 0;                ///< time by which the memory's rate extended a copy or kernel that has ended
};

using StreamCommandProbe = Probe<Tick, const StreamCommandEvent&>;

}  // namespace tributary
