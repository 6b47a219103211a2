#include "testbench/observe/marker_names.h"

#include <algorithm>
#include <array>
#include <limits>

namespace tributary {
namespace {

constexpr double letter = 5, gap = 6;  // pixels of GTKWave's fixed font, and between two names

enum Side : std::size_t { centred, left_of, right_of, unnamed, sides };
constexpr std::array<double, sides> costs{0, 1, 1, 20};
constexpr double beyond_edge = 2;

/// The best choice for all markers up to one, if that one has a given side.
struct Choice {
  double cost = std::numeric_limits<double>::infinity();
  double right = 0;  ///< right end of all names
  std::size_t before = centred;
};

struct Span {
  double left, right;
};
Span span_of(const MarkerPlace& marker, std::size_t side) {
  const double width = side == unnamed ? letter : letter * static_cast<double>(marker.name.size());
  if (side == left_of) return {marker.pixel - width - letter / 2, marker.pixel - letter / 2};
  if (side == right_of) return {marker.pixel + letter / 2, marker.pixel + width + letter / 2};
  return {marker.pixel - width / 2, marker.pixel + width / 2};
}

std::string text_of(const std::string& name, std::size_t side) {
  const std::string blanks(name.size() + 1, ' ');
  if (side == left_of) return name + blanks;
  if (side == right_of) return blanks + name;
  return side == unnamed ? "" : name;
}

}  // namespace

std::vector<std::string> marker_texts(const std::vector<MarkerPlace>& markers, double width) {
  std::vector<std::array<Choice, sides>> best(markers.size());
  for (std::size_t i = 0; i < markers.size(); ++i)
    for (std::size_t side = 0; side < sides; ++side) {
      const Span span = span_of(markers[i], side);
      const double edge = span.left < 0 || span.right > width ? beyond_edge : 0;
      Choice& here = best[i][side];
      if (i == 0) here = {costs.at(side) + edge, span.right, centred};
      for (std::size_t before = 0; i > 0 && before < sides; ++before) {
        const Choice& earlier = best[i - 1].at(before);
        const double cost = earlier.cost + costs.at(side) + edge;
        if (side != unnamed && span.left < earlier.right + gap) continue;
        if (cost < here.cost) here = {cost, std::max(earlier.right, span.right), before};
      }
    }
  std::vector<std::string> texts(markers.size());
  if (markers.empty()) return texts;
  const auto cheaper = [](const Choice& a, const Choice& b) { return a.cost < b.cost; };
  auto side =
      static_cast<std::size_t>(std::min_element(best.back().begin(), best.back().end(), cheaper) - best.back().begin());
  for (std::size_t i = markers.size(); i-- > 0; side = best[i].at(side).before) texts[i] = text_of(markers[i].name, side);
  return texts;
}

}  // namespace tributary
