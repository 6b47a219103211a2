#pragma once
/// XmlAttributes: checked access to attributes of topology files.

#include <cstdint>
#include <string>

#include "platforms/topology/files/xml_document.h"
#include "platforms/topology/server.h"

namespace tributary::topology {

/// Reads attributes. All members throw std::invalid_argument, `PATH:LINE: what (legal: ...)`.
class XmlAttributes {
 public:
  explicit XmlAttributes(const TopologyText& text) : text_(text) {}

  const std::string& needed(const XmlElement& element, const std::string& name) const;
  int number(const XmlElement& element, const std::string& name, int least, int most) const;
  int number_or(const XmlElement& element, const std::string& name, int least, int most, int standard) const;
  /// Reads `0x` and six hexadecimal digits.
  std::uint32_t pci_class(const XmlElement& element, const std::string& name) const;
  /// Reads a bus id such as `0000:06:00.0` and returns it in lower case.
  std::string bus_id(const XmlElement& element, const std::string& name) const;
  /// Reads link_speed (`8 GT/s`, `16.0 GT/s PCIe`) and link_width. An empty or missing value, `Unknown` and 0, as
  /// virtual machines report, mean unknown.
  PcieLink pcie_link(const XmlElement& element) const;

 private:
  [[noreturn]] void refuse(const XmlElement& element, const std::string& name, const std::string& value,
                           const std::string& legal) const;

  const TopologyText& text_;
};

}  // namespace tributary::topology
