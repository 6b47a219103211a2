#include "testbench/report/plot/svg.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "modules/base/utf8.h"
#include "testbench/report/plot/font_table.h"

namespace tributary::plot {
namespace {

std::string attribute(const char* name, double value) { return std::string(" ") + name + "=\"" + coordinate(value) + "\""; }

const char* anchor_name(Anchor anchor) {
  if (anchor == Anchor::start) return "start";
  return anchor == Anchor::middle ? "middle" : "end";
}

/// Ascenders and descenders of the font, as fractions of its size.
constexpr double above = 0.73, below = 0.21;

const std::string replacement = "\uFFFD";

/// True for a character that XML 1.0 permits. Other control characters than those of ASCII are legal, but have no picture.
bool is_xml(const std::string& text, std::size_t at, std::size_t size) {
  if (size == 0) return false;
  const char32_t c = utf8_character(text, at, size);
  return c != 0xFFFE && c != 0xFFFF && (c < 0x7f || c > 0x9f);
}

}  // namespace

std::string xml_text(const std::string& text) {
  std::string escaped;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t size = utf8_size(text, i);
    const char c = text[i];
    if (c == '&')
      escaped += "&amp;";
    else if (c == '<')
      escaped += "&lt;";
    else if (c == '>')
      escaped += "&gt;";
    else if (c == '"')
      escaped += "&quot;";
    else if (static_cast<unsigned char>(c) < ' ')
      escaped += ' ';
    else
      escaped += is_xml(text, i, size) ? text.substr(i, size) : replacement;
    i += size == 0 ? 1 : size;
  }
  return escaped;
}

std::string preformatted(const std::string& text) {
  std::string all;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    all += xml_text(text.substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return all;
}

std::string coordinate(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.2f", std::abs(x) < 0.005 ? 0.0 : x);
  std::string cut = text;
  cut.erase(cut.find_last_not_of('0') + 1);
  if (cut.back() == '.') cut.pop_back();
  return cut;
}

TextBox text_box(double x, double y, double size, const std::string& text, Anchor anchor, bool turned) {
  const double width = text_width(text, size);
  const double before = anchor == Anchor::start ? 0 : anchor == Anchor::middle ? width / 2 : width;
  if (turned)  // reading upwards
    return {x - above * size, y + before - width, x + below * size, y + before, text};
  return {x - before, y - above * size, x - before + width, y + below * size, text};
}

void Svg::add(const std::string& element, const std::string& attributes, const std::string& hover) {
  const std::string name = element.substr(0, element.find(' '));
  body_ += "<" + element + attributes;
  body_ += hover.empty() ? "/>\n" : "><title>" + xml_text(hover) + "</title></" + name + ">\n";
}

void Svg::rect(double x, double y, double width, double height, const std::string& attributes, const std::string& hover) {
  add("rect" + attribute("x", x) + attribute("y", y) + attribute("width", width) + attribute("height", height), attributes,
      hover);
}

void Svg::line(double x1, double y1, double x2, double y2, const std::string& attributes, const std::string& hover) {
  add("line" + attribute("x1", x1) + attribute("y1", y1) + attribute("x2", x2) + attribute("y2", y2), attributes, hover);
}

void Svg::polyline(const Points& points, const std::string& attributes) {
  std::string list;
  for (const auto& [x, y] : points) list += (list.empty() ? "" : " ") + coordinate(x) + "," + coordinate(y);
  add("polyline points=\"" + list + "\"", attributes, "");
}

void Svg::path(const std::string& commands, const std::string& attributes, const std::string& hover) {
  add("path d=\"" + commands + "\"", attributes, hover);
}

void Svg::circle(double x, double y, double radius, const std::string& attributes, const std::string& hover) {
  add("circle" + attribute("cx", x) + attribute("cy", y) + attribute("r", radius), attributes, hover);
}

void Svg::text(double x, double y, double size, const std::string& text, Anchor anchor, bool turned,
               const std::string& attributes) {
  if (text.empty()) return;
  texts_.push_back(text_box(x, y, size, text, anchor, turned));
  body_ += "<text" + attribute("x", x) + attribute("y", y) + attribute("font-size", size) + " text-anchor=\"" +
           anchor_name(anchor) + "\"";
  if (turned) body_ += " transform=\"rotate(-90 " + coordinate(x) + " " + coordinate(y) + ")\"";
  body_ += attributes + ">" + xml_text(text) + "</text>\n";
}

std::string Svg::element(double width, double height, const std::string& about, const std::string& attributes) const {
  const std::string w = coordinate(width), h = coordinate(height);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + w + "\" height=\"" + h + "\" viewBox=\"0 0 " + w + " " + h +
         "\" role=\"img\" font-family=\"Helvetica, Arial, Liberation Sans, sans-serif\"" + attributes + ">\n<title>" +
         xml_text(about) + "</title>\n" + body_ + "</svg>\n";
}

std::string Svg::document(double width, double height, const std::string& about) const {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + element(width, height, about);
}

}  // namespace tributary::plot
