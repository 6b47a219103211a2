#include "testbench/interchange/msccl/elements.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "testbench/workload/input_error.h"

namespace tributary::msccl {
namespace {

topology::TopologyText checked(const std::string& text, const std::string& path) {
  try {
    return {text, path};
  } catch (const std::invalid_argument& error) {
    throw InputError(error.what());
  }
}

/// Reads a text that is one decimal number.
template <class Number>
bool read(const char* text, Number& value) {
  const char* const last = text + std::strlen(text);
  const auto [end, error] = std::from_chars(text, last, value);
  return error == std::errc{} && end == last && end != text;
}

}  // namespace

Elements::Elements(const std::string& text, const std::string& path) : text_(checked(text, path)), path_(path) {
  const std::string& bytes = text_.text();
  const auto read = document_.load_buffer(bytes.data(), bytes.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!read) {
    const std::size_t place = std::min(static_cast<std::size_t>(read.offset), bytes.size());
    throw InputError(path + ":" + std::to_string(text_.line_at(place)) + ": not XML: " + read.description());
  }
  root_ = document_.document_element();
  for (const pugi::xml_node& other : document_.children())
    if (other != root_) fail(other, "more than one root element (legal: <algo>)");
}

std::size_t Elements::line(const pugi::xml_node& element) const {
  const std::ptrdiff_t place = element.offset_debug();
  return text_.line_at(place < 0 ? 0 : static_cast<std::size_t>(place));
}

void Elements::fail_at(std::size_t line, const std::string& what) const {
  throw InputError(path_ + ":" + std::to_string(line) + ": " + what);
}

void Elements::warn(const pugi::xml_node& element, const std::string& what) {
  warnings_.push_back(path_ + ":" + std::to_string(line(element)) + ": " + what);
}

void Elements::check_attributes(const pugi::xml_node& element, std::initializer_list<const char*> known) {
  std::vector<std::string> seen;
  for (const pugi::xml_attribute& a : element.attributes()) {
    const std::string name = a.name();
    if (std::find(seen.begin(), seen.end(), name) != seen.end())
      fail(element, "attribute " + topology::quoted(name) + " is given twice (legal: once)");
    if (seen.size() == 64) fail(element, "too many attributes (legal: up to 64)");
    if (std::find(known.begin(), known.end(), name) == known.end())
      warn(element, "<" + std::string(element.name()) + ">: attribute " + topology::quoted(name) + " has no effect");
    seen.push_back(name);
  }
}

std::vector<pugi::xml_node> Elements::children(const pugi::xml_node& element, const char* name) {
  std::vector<pugi::xml_node> found;
  for (const pugi::xml_node& child : element.children()) {
    if (child.type() != pugi::node_element)
      fail(child, "text in <" + std::string(element.name()) + "> (legal: elements and comments)");
    if (std::strcmp(child.name(), name) == 0)
      found.push_back(child);
    else
      warn(child, "<" + topology::quoted(child.name()) + "> in <" + element.name() + "> has no effect");
  }
  return found;
}

std::string Elements::text(const pugi::xml_node& element, const char* name) const {
  const pugi::xml_attribute a = element.attribute(name);
  if (a.empty()) fail(element, "<" + std::string(element.name()) + "> has no " + name);
  return a.value();
}

void Elements::refuse(const pugi::xml_node& element, const char* name, const std::string& legal) const {
  fail(element, "<" + std::string(element.name()) + ">: " + name + " " + topology::quoted(text(element, name)) +
                    " is not legal (legal: " + legal + ")");
}

int Elements::number(const pugi::xml_node& element, const char* name, int least, int most) const {
  int value = 0;
  if (!read(text(element, name).c_str(), value) || value < least || value > most)
    refuse(element, name, std::to_string(least) + " to " + std::to_string(most));
  return value;
}

std::uint64_t Elements::large_number(const pugi::xml_node& element, const char* name) const {
  std::uint64_t value = 0;
  if (!read(text(element, name).c_str(), value)) refuse(element, name, "0 to 18446744073709551615");
  return value;
}

}  // namespace tributary::msccl
