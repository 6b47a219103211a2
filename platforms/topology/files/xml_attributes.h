#pragma once
/// Attributes of topology files, each checked against what is legal.

#include <cstdint>
#include <string>

#include "platforms/topology/server.h"
#include "platforms/topology/files/xml_document.h"

namespace tributary::topology {

/// Reads attributes; all members throw std::invalid_argument, `PATH:LINE: what (legal: ...)`.
class XmlAttributes {
 public:
  explicit XmlAttributes(const TopologyText& text) : text_(text) {}

  const std::string& needed(const XmlElement& element, const std::string& name) const;
  int number(const XmlElement& element, const std::string& name, int least, int most) const;
  int number_or(const XmlElement& element, const std::string& name, int least, int most, int standard) const;
  /// `0x` and six hexadecimal digits.
  std::uint32_t pci_class(const XmlElement& element, const std::string& name) const;
  /// `0000:06:00.0`, in small letters.
  std::string bus_id(const XmlElement& element, const std::string& name) const;
  /// link_speed (`8 GT/s`, `16.0 GT/s PCIe`) and link_width; empty, `Unknown` and 0, as virtual machines have, or left out:
  /// not known.
  PcieLink pcie_link(const XmlElement& element) const;

 private:
  [[noreturn]] void refuse(const XmlElement& element, const std::string& name, const std::string& value,
                           const std::string& legal) const;

  const TopologyText& text_;
};

}  // namespace tributary::topology
