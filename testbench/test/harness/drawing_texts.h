#pragma once
/// Reads the texts of a chart's drawing.

#include <string>
#include <vector>

#include "testbench/report/plot/chart.h"

namespace tributary::plot {

inline std::string drawing_of(const Chart& chart) {
  const ChartDrawing drawn = draw(chart);
  return drawn.svg.document(drawn.width, drawn.height, chart.title.empty() ? "test" : chart.title);
}

inline std::size_t count_in(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

/// Returns the texts that overlap another one or leave the drawing.
inline std::size_t overlapping_texts(const Chart& chart) {
  const ChartDrawing drawn = draw(chart);
  const std::vector<TextBox>& boxes = drawn.svg.texts();
  std::size_t n = 0;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const TextBox& a = boxes[i];
    if (a.left < 0 || a.top < 0 || a.right > drawn.width || a.bottom > drawn.height) ++n;
    for (std::size_t j = i + 1; j < boxes.size(); ++j) {
      const TextBox& b = boxes[j];
      if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) ++n;
    }
  }
  return n;
}

/// Returns the number after `key` in each element that contains `mark`.
inline std::vector<double> numbers_after(const std::string& svg, const std::string& mark, const std::string& key) {
  std::vector<double> numbers;
  for (std::size_t at = svg.find(mark); at != std::string::npos; at = svg.find(mark, at + 1)) {
    const std::size_t begin = svg.rfind('<', at), value = svg.find(key, begin);
    numbers.push_back(std::stod(svg.substr(value + key.size(), 20)));
  }
  return numbers;
}

}  // namespace tributary::plot
