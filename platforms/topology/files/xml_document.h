#pragma once
/// An XML text as elements with their lines.

#include <string>
#include <utility>
#include <vector>

#include "platforms/topology/files/topology_text.h"

namespace tributary::topology {

struct XmlElement {
  std::string name;
  std::size_t line = 0;  ///< from 1
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<XmlElement> children;  ///< comments and processing instructions left out

  /// Null without it.
  const std::string* find(const std::string& attribute) const;
};

/// The one root of a text. Throws std::invalid_argument, `PATH:LINE: what`: no XML, text between elements, an attribute
/// given twice, more than the limits allow.
XmlElement parse_xml(const TopologyText& text);

}  // namespace tributary::topology
