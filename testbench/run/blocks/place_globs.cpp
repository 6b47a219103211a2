#include "testbench/run/blocks/place_globs.h"

#include "modules/base/nearest.h"
#include "modules/base/probe.h"

namespace tributary {

bool selects_place(const std::string& glob, const std::string& place) {
  if (glob_match(glob, place)) return true;
  const std::size_t dot = place.rfind('.');
  return dot != std::string::npos && glob_match(glob, place.substr(0, dot));
}

std::string no_such_place(const std::string& option, const std::string& glob, const std::vector<std::string>& places) {
  if (places.empty()) return option + ": this run has no block that it could observe";
  const std::vector<std::string> nearest = nearest_names(glob, places);
  const std::string example = nearest.empty() ? places.front() : nearest.front();
  return option + ": no block has the name '" + glob + "'; did you mean " + example + "? (" + std::to_string(places.size()) +
         " blocks: `tributary netlist` lists them)";
}

}  // namespace tributary
