#pragma once
/// Whether packets on their ways through an indirect network can come to wait for each other in a circle.

#include <string>

#include "platforms/topology/network.h"

namespace tributary::topology {

struct WaySurvey {
  int most_switches = 0;  ///< on any way from node to node
  std::string circle;     ///< links between switches of which each waits for the next: empty: there is none
};
/// All shortest ways, of which a schedule may choose any (Dally and Seitz, IEEE Trans. Comput. 1987: no circle of links, no
/// deadlock).
WaySurvey survey_ways(const Network& network);

}  // namespace tributary::topology
