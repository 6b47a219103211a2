#pragma once
/// HostCommands: the commands of a software schedule that a host, or a GPU with a NIC, carries out over RDMA.

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "modules/base/element.h"
#include "modules/nic/core/command_engine.h"

namespace tributary {

/// Operands that the software of a host has added.
struct HostAdditions {
  std::uint64_t elements = 0, bytes = 0;

  void add(std::uint64_t more, std::size_t element_bytes) { elements += more / element_bytes, bytes += more; }
  HostAdditions& operator+=(const HostAdditions& a) { return elements += a.elements, bytes += a.bytes, *this; }
};

/// Commands of a software schedule.
struct HostCommands {
  std::vector<NicCommand> commands;              ///< their targets are endpoints
  std::map<std::uint16_t, unsigned> pairs = {};  ///< connection to each endpoint to which they send
  std::vector<bool> acknowledged = {};           ///< by command: it ends when its send is acknowledged; empty: none does
  std::set<std::uint16_t> local_peers = {};  ///< endpoints of the same host: their chunks are added on arrival, in no time
  ElementType type = ElementType::f32;
  ReduceOp op = ReduceOp::sum;
  std::uint16_t number = 0;  ///< number among the programs of a step, equal on all hosts of the operation
};

}  // namespace tributary
