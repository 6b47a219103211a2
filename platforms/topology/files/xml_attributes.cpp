#include "platforms/topology/files/xml_attributes.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace tributary::topology {
namespace {

bool hexadecimal(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

/// In `form`, h matches a hexadecimal digit; every other character matches itself.
bool has_form(const std::string& text, const std::string& form) {
  return text.size() == form.size() && std::equal(text.begin(), text.end(), form.begin(),
                                                  [](char c, char f) { return f == 'h' ? hexadecimal(c) : c == f; });
}

std::string small_letters(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

struct Speed {
  const char* text;
  double value;
};
constexpr Speed speeds[] = {{"2.5", 2.5}, {"5", 5},   {"5.0", 5},   {"8", 8},   {"8.0", 8},  {"16", 16},
                            {"16.0", 16}, {"32", 32}, {"32.0", 32}, {"64", 64}, {"64.0", 64}};

/// Returns the speed; 0: unknown; -1: not a speed.
double speed_of(const std::string& text) {
  if (text.empty() || text == "Unknown" || text == "Unknown speed") return 0;
  for (const Speed& s : speeds)
    for (const char* unit : {" GT/s", " GT/s PCIe"})
      if (text == std::string(s.text) + unit) return s.value;
  return -1;
}

}  // namespace

void XmlAttributes::refuse(const XmlElement& element, const std::string& name, const std::string& value,
                           const std::string& legal) const {
  text_.fail(element.line, "<" + element.name + ">: " + name + " " + quoted(value) + " is given (legal: " + legal + ")");
}

const std::string& XmlAttributes::needed(const XmlElement& element, const std::string& name) const {
  const std::string* const found = element.find(name);
  if (found == nullptr) text_.fail(element.line, "<" + element.name + "> has no " + name);
  return *found;
}

int XmlAttributes::number(const XmlElement& element, const std::string& name, int least, int most) const {
  const std::string& value = needed(element, name);
  const int read = decimal(value, least, most);
  if (read < 0) refuse(element, name, value, std::to_string(least) + " to " + std::to_string(most));
  return read;
}

int XmlAttributes::number_or(const XmlElement& element, const std::string& name, int least, int most, int standard) const {
  return element.find(name) == nullptr ? standard : number(element, name, least, most);
}

std::uint32_t XmlAttributes::pci_class(const XmlElement& element, const std::string& name) const {
  const std::string& value = needed(element, name);
  const std::string small = small_letters(value);
  if (!has_form(small, "0xhhhhhh")) refuse(element, name, value, "0x and six hexadecimal digits, such as 0x030200");
  std::uint32_t read = 0;
  std::from_chars(small.data() + 2, small.data() + small.size(), read, 16);
  return read;
}

std::string XmlAttributes::bus_id(const XmlElement& element, const std::string& name) const {
  const std::string& value = needed(element, name);
  std::string small = small_letters(value);
  for (const char* form : {"hhhh:hh:hh.h", "hhhhh:hh:hh.h", "hhhhhh:hh:hh.h", "hhhhhhh:hh:hh.h", "hhhhhhhh:hh:hh.h"})
    if (has_form(small, form)) {
      // Leading zeros of the domain.
      while (small.size() > std::strlen("0000:00:00.0") && small.front() == '0') small.erase(0, 1);
      return small;
    }
  refuse(element, name, value, "domain, bus, device and function, such as 0000:06:00.0");
}

PcieLink XmlAttributes::pcie_link(const XmlElement& element) const {
  PcieLink link;
  if (const std::string* const speed = element.find("link_speed")) {
    link.speed = speed_of(*speed);
    if (link.speed < 0) refuse(element, "link_speed", *speed, "2.5, 5, 8, 16, 32 or 64 GT/s");
  }
  const std::string* const width = element.find("link_width");
  if (width != nullptr && !width->empty()) link.width = number(element, "link_width", 0, 32);
  return link;
}

}  // namespace tributary::topology
