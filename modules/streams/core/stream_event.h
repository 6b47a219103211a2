#pragma once
/// StreamCommandEvent: what becomes of one command of a stream, as observers see it.

#include "modules/base/probe.h"
#include "modules/streams/core/stream_program.h"

namespace tributary {

struct StreamCommandEvent {
  enum class Kind : std::uint8_t {
    begun,    ///< it is the head of its queue; a copy now waits for an engine and for links
    granted,  ///< a copy has both
    ended,    ///< of a copy: its last flit has left
  };
  Kind kind = Kind::begun;
  const StreamCommand* command = nullptr;
  unsigned queue = 0, engine = 0;  ///< engine: of a copy, once granted
};

using StreamCommandProbe = Probe<Tick, const StreamCommandEvent&>;

}  // namespace tributary
