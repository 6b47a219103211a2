#pragma once
/// The output of `tributary netlist` (docs/netlist.md).

#include <string>
#include <vector>

#include "testbench/observe/netlist.h"

namespace tributary {

/// Returns a tree with one line per module, which ends in `called directly` for parts that are, and, below it, one line per
/// socket: `>` is an initiator, `<` a target.
std::string netlist_text(const std::vector<NetlistModule>& netlist);
std::string netlist_json(const std::string& platform, const std::vector<NetlistModule>& netlist);
/// Returns a Graphviz graph: modules are boxes with a field per socket, grouped in clusters, and dashed if they are called
/// directly; arrows lead from initiator to target.
std::string netlist_dot(const std::string& platform, const std::vector<NetlistModule>& netlist);

}  // namespace tributary
