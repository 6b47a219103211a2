#pragma once
/// Elements of an XML text whose attributes are checked one by one.

#include <cstdint>
#include <initializer_list>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "platforms/topology/files/topology_text.h"

namespace tributary::msccl {

class Elements {
 public:
  /// Throws InputError `PATH:LINE: error`, as all members do.
  Elements(const std::string& text, const std::string& path);

  pugi::xml_node root() const { return root_; }
  std::size_t line(const pugi::xml_node& element) const;
  [[noreturn]] void fail(const pugi::xml_node& element, const std::string& what) const { fail_at(line(element), what); }
  [[noreturn]] void fail_at(std::size_t line, const std::string& what) const;
  void warn(const pugi::xml_node& element, const std::string& what);
  std::vector<std::string> warnings() { return std::move(warnings_); }

  /// Refuses repeated attributes, and warns of attributes that are not in `known`.
  void check_attributes(const pugi::xml_node& element, std::initializer_list<const char*> known);
  /// Returns the children of that name. Refuses text, and warns of other elements.
  std::vector<pugi::xml_node> children(const pugi::xml_node& element, const char* name);

  bool has(const pugi::xml_node& element, const char* name) const { return !element.attribute(name).empty(); }
  std::string text(const pugi::xml_node& element, const char* name) const;
  int number(const pugi::xml_node& element, const char* name, int least, int most) const;
  std::uint64_t large_number(const pugi::xml_node& element, const char* name) const;
  [[noreturn]] void refuse(const pugi::xml_node& element, const char* name, const std::string& legal) const;

 private:
  topology::TopologyText text_;
  pugi::xml_document document_;
  pugi::xml_node root_;
  std::vector<std::string> warnings_;
  std::string path_;
};

}  // namespace tributary::msccl
