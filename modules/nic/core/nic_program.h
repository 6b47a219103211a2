#pragma once
/// What a host asks of a schedule NIC.

#include <cstdint>
#include <vector>

#include "modules/base/element.h"
#include "modules/nic/core/command_engine.h"
#include "modules/nic/core/schedule_engine.h"
#include "modules/protocol/source_route.h"

namespace tributary {

/// The way of a chunk that the tables of the routers do not give: source route.
struct NicRoute {
  std::uint16_t flow = 0, destination = 0;
  SourceRoute route;
};

/// What one NIC does for one collective: a schedule table, or commands, or commands whose rows in the table say when they
/// send.
struct NicProgram {
  NicOperation table;
  std::vector<NicRoute> routes = {};  ///< of table entries, by (flow, destination)
  std::vector<NicCommand> commands = {};
  ElementType type = ElementType::f32;
  ReduceOp op = ReduceOp::sum;
};

}  // namespace tributary
