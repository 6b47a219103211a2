#pragma once
/// TracedSignal: a signal of a waveform, and where its values come from.

#include <string>
#include <vector>

#include "modules/base/probe.h"

namespace tributary {

/// What of a probe a signal shows.
enum class SignalField : std::uint8_t {
  itself,  ///< a signal probe
  // of a probe of packets
  packet_block,
  packet_opcode,
  packet_source,
  // of a row of a probe of reductions
  entry_valid,
  entry_tag,
  entry_count,
  entry_value,
  entry_operand,
  entry_from,
  entry_contributors,     ///< endpoints 0 to 63, a bit each
  entry_contributors_64,  ///< endpoints 64 to 127
};

struct TracedSignal {
  std::string name;
  SignalKind kind;
  unsigned width;
  std::string about;
  bool silent = false;  ///< it has never changed in the whole run
  std::string probe = {};
  SignalField field = SignalField::itself;
  unsigned row = 0;                    ///< of a probe of reductions
  const char* const* names = nullptr;  ///< of its values, from 0 on, then null
};

/// All signals that a platform can show: its signal probes, `block`, `opcode` and `source` of each probe of packets, and the
/// rows of each table of reductions.
std::vector<TracedSignal> traceable_signals(const ProbeDirectory& probes);

}  // namespace tributary
