#include "testbench/report/plot/text_places.h"

#include <algorithm>

#include "testbench/report/plot/font_table.h"

namespace tributary::plot {
namespace {

const char* const halo = " fill=\"#222\" stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\"";
constexpr double halo_width = 1, between_texts = 4;

bool overlaps(const TextBox& a, const TextBox& b) {
  return a.left < b.right + between_texts && b.left < a.right + between_texts && a.top < b.bottom && b.top < a.bottom;
}

/// True if a straight line from `from` to `to` crosses a box: Liang and Barsky's parameters of its four sides.
bool crosses(const TextBox& box, TextPlacer::Point from, TextPlacer::Point to) {
  double enters = 0, leaves = 1;
  const auto side = [&](double step, double room) {
    if (step == 0) return room >= 0;
    (step < 0 ? enters : leaves) = step < 0 ? std::max(enters, room / step) : std::min(leaves, room / step);
    return enters <= leaves;
  };
  const double dx = to.first - from.first, dy = to.second - from.second;
  return side(-dx, from.first - box.left) && side(dx, box.right - from.first) && side(-dy, from.second - box.top) &&
         side(dy, box.bottom - from.second);
}

}  // namespace

std::size_t TextPlacer::add_obstacle(Point from, Point to, double width) {
  obstacles_.push_back({from, to, width});
  return obstacles_.size() - 1;
}

bool TextPlacer::is_within(const TextBox& box) const {
  return box.top >= area_.top - 12 && box.bottom <= area_.top + area_.height + 1 && box.left >= area_.left - 1 &&
         box.right <= area_.left + area_.width + 12;
}

bool TextPlacer::hides_text(const TextBox& box) const {
  return std::any_of(svg_.texts().begin(), svg_.texts().end(), [&](const TextBox& other) { return overlaps(box, other); });
}

bool TextPlacer::hides_obstacle(const TextBox& box, std::optional<std::size_t> own) const {
  for (std::size_t i = 0; i < obstacles_.size(); ++i) {
    const double margin = halo_width + obstacles_[i].width / 2;
    const TextBox wide{box.left - margin, box.top - margin, box.right + margin, box.bottom + margin, ""};
    if (i != own && crosses(wide, obstacles_[i].from, obstacles_[i].to)) return true;
  }
  return false;
}

void TextPlacer::place(const std::string& text, double size, const std::vector<TextPlace>& places,
                       std::optional<std::size_t> own) {
  const auto shown = [&](const TextPlace& at) {
    return fitted(text, size, at.turned ? area_.height - 10 : area_.width - 8);
  };
  const TextPlace* chosen = nullptr;
  for (const TextPlace& at : places) {
    const TextBox box = text_box(at.x, at.y, size, shown(at), at.anchor, at.turned);
    if (!is_within(box) || hides_text(box)) continue;
    const bool free = !hides_obstacle(box, own);
    if (free || chosen == nullptr) chosen = &at;
    if (free) break;
  }
  if (chosen != nullptr) svg_.text(chosen->x, chosen->y, size, shown(*chosen), chosen->anchor, chosen->turned, halo);
}

}  // namespace tributary::plot
