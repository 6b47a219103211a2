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
  packet_flow,
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
  // of a row of a schedule table
  row_valid,
  row_opcode,
  row_flow,
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
  bool silent = false;  ///< it has never changed in the whole run
  std::string probe = {};
  SignalField field = SignalField::itself;
  unsigned row = 0;                    ///< of a probe of reductions
  const char* const* names = nullptr;  ///< of its values, from 0 on, then null
};

/// Rows of a table beyond have no signals of their own.
inline constexpr unsigned traced_rows = 64;

/// All signals that a platform can show: its signal probes, `block`, `opcode`, `source` and, where there are any, `flow` of
/// each probe of packets, and the rows of each table of reductions and of each schedule table.
std::vector<TracedSignal> traceable_signals(const ProbeDirectory& probes);

}  // namespace tributary
