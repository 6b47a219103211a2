#pragma once
/// Checks whether packets in an indirect network could wait for each other in a cycle.

#include <string>

#include "platforms/topology/network.h"

namespace tributary::topology {

struct RouteSurvey {
  int most_switches = 0;  ///< largest number of switches on a path between two nodes
  std::string circle;     ///< links between switches, each waiting for the next; empty: no cycle
};
/// Examines all shortest paths, as a schedule may use any of them. Without a cycle of links there is no deadlock (Dally
/// and Seitz, IEEE Trans. Comput. 1987).
RouteSurvey survey_routes(const Network& network);

}  // namespace tributary::topology
