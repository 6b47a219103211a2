#include "platforms/topology/files/xml_document.h"

#include <pugixml.hpp>

namespace tributary::topology {
namespace {

using Limits = TopologyFileLimits;

/// Copies the elements that pugixml has read, with their lines. The depth of recursion is bounded.
class Elements {
 public:
  explicit Elements(const TopologyText& text) : text_(text) {}

  XmlElement copy(const pugi::xml_node& node, std::size_t depth) {
    XmlElement element;
    element.name = node.name();
    element.line = line(node);
    if (depth > Limits::depth)
      text_.fail(element.line, "elements nested too deeply (legal: up to " + std::to_string(Limits::depth) + " levels)");
    if (++count_ > Limits::elements)
      text_.fail(element.line, "too many elements (legal: up to " + std::to_string(Limits::elements) + ")");
    for (const pugi::xml_attribute& a : node.attributes()) take(element, a);
    for (const pugi::xml_node& child : node.children()) {
      if (child.type() != pugi::node_element)
        text_.fail(line(child), "text in <" + element.name + "> (legal: elements and comments)");
      element.children.push_back(copy(child, depth + 1));
    }
    return element;
  }

  std::size_t line(const pugi::xml_node& node) const {
    const std::ptrdiff_t place = node.offset_debug();
    return text_.line_at(place < 0 ? 0 : static_cast<std::size_t>(place));
  }

 private:
  void take(XmlElement& element, const pugi::xml_attribute& a) const {
    if (element.attributes.size() == Limits::attributes)
      text_.fail(element.line, "too many attributes (legal: up to " + std::to_string(Limits::attributes) + ")");
    if (element.find(a.name()) != nullptr)
      text_.fail(element.line, "attribute " + quoted(a.name()) + " is given twice (legal: once)");
    element.attributes.emplace_back(a.name(), a.value());
  }

  const TopologyText& text_;
  std::size_t count_ = 0;
};

}  // namespace

const std::string* XmlElement::find(const std::string& attribute) const {
  for (const auto& [key, value] : attributes)
    if (key == attribute) return &value;
  return nullptr;
}

XmlElement parse_xml(const TopologyText& text) {
  pugi::xml_document document;
  const std::string& bytes = text.text();
  const auto read = document.load_buffer(bytes.data(), bytes.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!read) text.fail(text.line_at(static_cast<std::size_t>(read.offset)), std::string("no XML: ") + read.description());
  Elements elements(text);
  const pugi::xml_node root = document.document_element();
  for (const pugi::xml_node& other : document.children())
    if (other != root) text.fail(elements.line(other), "more than one root element (legal: <system>)");
  return elements.copy(root, 1);
}

}  // namespace tributary::topology
