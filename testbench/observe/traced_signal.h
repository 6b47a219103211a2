#pragma once
/// TracedSignal: a signal of a waveform, and the source of its values.

#include <string>
#include <vector>

#include "modules/base/probe.h"

namespace tributary {

/// The field of a probe that a signal shows.
enum class SignalField : std::uint8_t {
  itself,  ///< a signal probe
  wide,    ///< a probe of more than 64 bits
  // Fields of a packet probe.
  packet_block,
  packet_opcode,
  packet_trail,
  packet_source,
  // Fields of a row of a reduction probe.
  entry_valid,
  entry_tag,
  entry_count,
  entry_value,
  entry_operand,
  entry_from,
  entry_contributors,     ///< endpoints 0 to 63, one bit each
  entry_contributors_64,  ///< endpoints 64 to 127
  // Fields of a row of a schedule table.
  row_valid,
  row_opcode,
  row_tree,
  row_step,
  row_parent,
  row_child0,
  row_child1,
  row_child2,
  row_child3,
  row_waits,
  row_ready,
};

struct TracedSignal {
  std::string name;
  SignalKind kind;
  unsigned width;
  std::string about;
  bool silent = false;  ///< never changed in the whole run
  std::string probe = {};
  SignalField field = SignalField::itself;
  unsigned row = 0;                    ///< row of a reduction probe
  const char* const* names = nullptr;  ///< names of its values from 0 on, terminated by null
};

/// Rows of a table beyond this number have no signals.
inline constexpr unsigned traced_rows = 64;

/// Returns all signals of a platform: its signal probes and wide probes; `block`, `opcode`, `source` and, if used, `flow` of
/// each packet probe; and the rows of each reduction table and schedule table.
std::vector<TracedSignal> traceable_signals(const ProbeDirectory& probes);

}  // namespace tributary
