#pragma once
/// LinkFault: a scripted fault of one link, and its text form.

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/units.h"
#include "platforms/topology/graph.h"

namespace tributary {

struct LinkFault {
  enum class Kind : std::uint8_t {
    corrupt,    ///< corrupts the first transmission of a packet
    duplicate,  ///< sends a packet twice in a row
    down,       ///< loses packets that have not arrived by a given time, and sends nothing from then on
  };
  Kind kind = Kind::corrupt;
  std::string link;          ///< one direction: `gpu0.port0>switch0_0.port0`
  std::uint64_t packet = 0;  ///< corrupt, duplicate: index of the packet on the link, from 0 in each run
  Time after;                ///< down: delay from the start of each run
};

/// Parses `corrupt:LINK:N`, `duplicate:LINK:N` or `down:LINK@TIME`, where LINK is read by full_link_name(). Throws
/// std::invalid_argument (one line).
LinkFault parse_fault(const std::string& text, const topology::Graph& graph);

/// Returns the text that parse_fault() parses.
std::string to_string(const LinkFault& fault);

/// Returns the names of both directions of all links, in netlist order.
std::vector<std::string> link_names(const topology::Graph& graph);

/// Returns the name `FROM>TO` of a link of `graph`. `link` is that name, or its sending port FROM, which needs no quotes in
/// a shell. Throws std::invalid_argument (one line).
std::string full_link_name(const std::string& link, const topology::Graph& graph);

}  // namespace tributary
