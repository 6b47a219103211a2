#include "testbench/report/html/shades.h"

#include <algorithm>
#include <array>

#include "testbench/report/plot/svg.h"

namespace tributary::html {
namespace {

constexpr std::array<const char*, shades> colours{"#440154", "#481a6c", "#472f7d", "#414487", "#39568c", "#31688e",
                                                  "#2a788e", "#23888e", "#1f988b", "#22a884", "#35b779", "#54c568",
                                                  "#7ad151", "#a5db36", "#d2e21b", "#fde725"};

}  // namespace

int shade_of(double share) { return std::clamp(static_cast<int>(share * shades), 0, shades - 1); }

std::string shade_class(double share) { return "v" + std::to_string(shade_of(share)); }

std::string shade_rules() {
  std::string rules;
  for (std::size_t i = 0; i < colours.size(); ++i) {
    const std::string name = ".v" + std::to_string(i);
    rules += name + "{stroke:" + colours[i] + "}" + name + ".full{fill:" + colours[i] + ";stroke:none}\n";
  }
  return rules;
}

std::string shade_legend(const std::string& least, const std::string& most) {
  plot::Svg svg;
  const double start = 70, width = 14;
  svg.text(start - 6, 12, 11, least, plot::Anchor::end);
  for (int i = 0; i < shades; ++i) svg.rect(start + i * width, 2, width, 12, " class=\"full v" + std::to_string(i) + "\"");
  svg.text(start + shades * width + 6, 12, 11, most);
  return svg.element(start + shades * width + 90, 18, "colour scale");
}

}  // namespace tributary::html
