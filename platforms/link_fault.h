#pragma once
/// Scripted faults of links.

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/units.h"
#include "platforms/topology/graph.h"

namespace tributary {

struct LinkFault {
  enum class Kind : std::uint8_t {
    corrupt,    ///< the first transmission of a packet is spoilt
    duplicate,  ///< a packet is sent twice in a row
    down,       ///< what has not arrived by a time is lost, and nothing leaves any more
  };
  Kind kind = Kind::corrupt;
  std::string link;          ///< one direction: `gpu0.port0>switch0_0.port0`
  std::uint64_t packet = 0;  ///< corrupt, duplicate: number on the link, from 0 in each run
  Time after;                ///< down: from the start of each run on
};

/// `corrupt:LINK:N`, `duplicate:LINK:N` or `down:LINK@TIME`, LINK of this machine. Throws std::invalid_argument, one line.
LinkFault parse_fault(const std::string& text, const topology::Graph& graph);

/// What parse_fault reads.
std::string to_string(const LinkFault& fault);

/// Names of both directions of all links, in netlist order.
std::vector<std::string> link_names(const topology::Graph& graph);

}  // namespace tributary
