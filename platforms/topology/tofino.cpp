#include "platforms/topology/tofino.h"

#include <charconv>
#include <stdexcept>

namespace tributary::topology {

Tofino tofino(const std::string& name, bool server) {
  const auto colon = name.find(':');
  const std::string arguments = colon == std::string::npos ? "" : name.substr(colon + 1);
  Tofino made;
  const char* const end = arguments.data() + arguments.size();
  const auto [next, error] = std::from_chars(arguments.data(), end, made.hosts);
  if (error != std::errc{} || next != end || made.hosts < 2 || made.hosts > most_tofino_hosts)
    throw std::invalid_argument("platform tofino: '" + arguments + "' is given (legal: H: 2 to " +
                                std::to_string(most_tofino_hosts) + " hosts)");
  made.name = name;
  made.server = server;
  Graph& g = made.graph;
  for (int h = 0; h < made.hosts; ++h) g.add_node({NodeKind::nic, "host" + std::to_string(h), 1, 0, -1, h});
  if (server) g.add_node({NodeKind::nic, "server", 1, 0, -1, made.hosts});
  g.add_node({NodeKind::switch_node, "switch", made.ports(), 0, 0, 0});
  for (int p = 0; p < made.ports(); ++p) g.connect({p, 0}, {made.switch_node(), p});
  return made;
}

}  // namespace tributary::topology
