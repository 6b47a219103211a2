#include "modules/nvswitch/core/table_probes.h"

namespace tributary {

void TableProbes::describe(ProbeDirectory& directory, const std::string& prefix, std::uint32_t entries) {
  directory.add_signal(prefix + "occupancy", occupancy_probe, SignalKind::level,
                       entries == 0 ? counter_bits : bits_up_to(entries), "entries in use");
  const auto strobe = [&](const char* name, SignalProbe& probe, const char* about) {
    directory.add_signal(prefix + name, probe, SignalKind::strobe, 41, about);
  };
  strobe("allocations", allocations, "a block gets an entry (block number)");
  strobe("merges", merges, "an operand is added to an entry (block number)");
  strobe("completions", completions, "the last operand is added (block number)");
  strobe("evictions", evictions, "a push entry is evicted to make room (block number)");
  strobe("timeouts", timeouts, "a push entry is evicted by timeout (block number)");
  strobe("stalls", stalls, "a pull at its first hop gets no entry (block number)");
  strobe("misses", misses, "a packet bypasses the table (block number)");
  if (entries != 0) directory.add(prefix + "entries", events, "operands and partial sums of the entries", entries);
}

}  // namespace tributary
