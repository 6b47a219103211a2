#pragma once
/// Parses an XML text into elements with line numbers.

#include <string>
#include <utility>
#include <vector>

#include "platforms/topology/files/topology_text.h"

namespace tributary::topology {

struct XmlElement {
  std::string name;
  std::size_t line = 0;  ///< from 1
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<XmlElement> children;  ///< without comments and processing instructions

  /// Returns null if the attribute does not exist.
  const std::string* find(const std::string& attribute) const;
};

/// Returns the root element. Throws std::invalid_argument, `PATH:LINE: what`: not XML, text between elements, a
/// repeated attribute, or more than the limits allow.
XmlElement parse_xml(const TopologyText& text);

}  // namespace tributary::topology
