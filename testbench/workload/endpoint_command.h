#pragma once
/// Converts a command of a software schedule to one of an endpoint: ranks become endpoints.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "testbench/workload/chunk_commands.h"

namespace tributary {

/// `Command`: a command of the hardware, with the fields of NicCommand (modules/nic/core/command_engine.h). `ends`:
/// endpoints by rank. The caller has checked that byte counts fit into 32 bits.
template <class Command>
Command endpoint_command(const ChunkCommand& from, const std::vector<int>& ends) {
  const auto end = [&ends](int rank) { return static_cast<std::uint16_t>(ends.at(static_cast<std::size_t>(rank))); };
  Command c;
  c.receives = from.receives;
  c.reduce = from.reduce;
  c.chunk = from.address;
  c.from = from.from;
  c.bytes = static_cast<std::uint32_t>(from.bytes);
  if (from.send) c.send = {end(from.send->rank), from.send->command, from.send->address};
  c.after = from.after;
  c.number = static_cast<std::uint16_t>(from.chunk);
  if (from.receives) c.peer = end(from.peer);
  return c;
}

}  // namespace tributary
