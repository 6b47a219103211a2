#include "testbench/report/html/shades.h"

#include "testbench/report/plot/colour_scale.h"
#include "testbench/report/plot/svg.h"

namespace tributary::html {
int shade_of(double share) { return plot::scale_number(share); }

std::string shade_class(double share) { return "v" + std::to_string(shade_of(share)); }

std::string shade_rules() {
  std::string rules;
  for (int i = 0; i < shades; ++i) {
    const std::string name = ".v" + std::to_string(i), colour = plot::scale_colour(i);
    rules += name + "{stroke:" + colour + "}" + name + ".full{fill:" + colour + ";stroke:none}\n";
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
