#pragma once

#include <string>

#include "platforms/link_fault.h"

namespace tributary {

/// Scripted faults of links: RunSpec::faults.
class FamilyLinkFaults {
 public:
  virtual ~FamilyLinkFaults() = default;

  /// Reads a fault of a link of `graph`. Throws std::invalid_argument, one line.
  virtual LinkFault parse(const std::string& text, const topology::Graph& graph) const { return parse_fault(text, graph); }
};

}  // namespace tributary
