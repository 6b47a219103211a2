#include "platforms/link_fault.h"

#include <algorithm>
#include <stdexcept>

#include "modules/base/nearest.h"

namespace tributary {
namespace {

constexpr const char* forms =
    "(legal: corrupt:LINK:N, duplicate:LINK:N or down:LINK@TIME; LINK is the sending port, or FROM>TO: quote it in a shell)";

std::uint64_t packet_number(const std::string& text) {
  const bool digits = !text.empty() && text.size() <= 18 && text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits) throw std::invalid_argument("'" + text + "' is not a packet number (legal: a whole number, from 0)");
  return std::stoull(text);
}

}  // namespace

std::vector<std::string> link_names(const topology::Graph& graph) {
  std::vector<std::string> names;
  for (const topology::Link& link : graph.links()) {
    const std::string a = graph.name(link.a), b = graph.name(link.b);
    names.push_back(a + ">" + b);
    names.push_back(b + ">" + a);
  }
  return names;
}

std::string full_link_name(const std::string& link, const topology::Graph& graph) {
  const bool full = link.find('>') != std::string::npos;
  std::vector<std::string> names = link_names(graph), known;
  for (const std::string& name : names) {
    known.push_back(full ? name : name.substr(0, name.find('>')));
    if (known.back() == link) return name;
  }
  throw std::invalid_argument(unknown_name("link", link, known, false) +
                              " (legal: the sending port, or FROM>TO: quote it in a shell)");
}

LinkFault parse_fault(const std::string& text, const topology::Graph& graph) {
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  LinkFault fault;
  if (kind == "duplicate")
    fault.kind = LinkFault::Kind::duplicate;
  else if (kind == "down")
    fault.kind = LinkFault::Kind::down;
  else if (kind != "corrupt")
    throw std::invalid_argument("unknown fault '" + kind + "' " + forms);
  const std::size_t last = text.rfind(fault.kind == LinkFault::Kind::down ? '@' : ':');
  if (colon == std::string::npos || last == std::string::npos || last <= colon)
    throw std::invalid_argument("'" + text + "' is not a fault " + forms);
  fault.link = full_link_name(text.substr(colon + 1, last - colon - 1), graph);
  if (fault.kind == LinkFault::Kind::down)
    fault.after = parse_time(text.substr(last + 1));
  else
    fault.packet = packet_number(text.substr(last + 1));
  return fault;
}

std::string to_string(const LinkFault& fault) {
  if (fault.kind == LinkFault::Kind::down) return "down:" + fault.link + "@" + to_string(fault.after);
  const std::string kind = fault.kind == LinkFault::Kind::corrupt ? "corrupt:" : "duplicate:";
  return kind + fault.link + ":" + std::to_string(fault.packet);
}

}  // namespace tributary
