#include "testbench/cli/requests/link_globs.h"

#include "modules/base/probe.h"
#include "platforms/link_fault.h"

namespace tributary {

std::vector<std::string> probe_globs(const std::string& text, const topology::Graph& graph) {
  const bool full = text.find('>') != std::string::npos;
  std::vector<std::string> globs;
  for (const std::string& link : link_names(graph)) {
    const std::string port = link.substr(0, link.find('>'));
    if (full ? glob_match(text, link) : text == port) globs.push_back("*." + port + ".link.*");
  }
  if (!globs.empty()) return globs;
  if (full) full_link_name(text, graph);  // throws, with the nearest names
  return {text};
}

}  // namespace tributary
