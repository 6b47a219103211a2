#include "testbench/report/plot/colour_scale.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace tributary::plot {
namespace {

constexpr std::array<const char*, scale_colours> viridis{"#440154", "#481a6c", "#472f7d", "#414487", "#39568c", "#31688e",
                                                         "#2a788e", "#23888e", "#1f988b", "#22a884", "#35b779", "#54c568",
                                                         "#7ad151", "#a5db36", "#d2e21b", "#fde725"};

}  // namespace

int scale_number(double share) { return std::clamp(static_cast<int>(share * scale_colours), 0, scale_colours - 1); }

const char* scale_colour(int number) { return viridis.at(static_cast<std::size_t>(number)); }

bool is_light(int number) { return number >= scale_colours / 2; }

}  // namespace tributary::plot
