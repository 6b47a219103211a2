#pragma once
/// NicProgram: work of a schedule NIC for a host.

#include <cstdint>
#include <vector>

#include "modules/base/element.h"
#include "modules/nic/core/command_engine.h"
#include "modules/nic/core/schedule_engine.h"
#include "modules/protocol/source_route.h"

namespace tributary {

/// Source route of a chunk, where it differs from the routers' tables.
struct NicRoute {
  std::uint16_t tree = 0, destination = 0;
  SourceRoute route;
};

/// Work of one NIC for one collective: a schedule table, or commands, or commands whose sends the rows of the table
/// trigger.
struct NicProgram {
  NicOperation table;
  std::vector<NicRoute> routes = {};  ///< routes of table entries, by (tree, destination)
  std::vector<NicCommand> commands = {};
  ElementType type = ElementType::f32;
  ReduceOp op = ReduceOp::sum;
};

}  // namespace tributary
