#include "testbench/observe/life_table.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace tributary {

LifeTable::LifeTable(std::string title, Tick epoch, std::string event)
    : title_(std::move(title)), event_(std::move(event)), epoch_(epoch) {}

void LifeTable::add(Tick time, std::string place, std::string event) {
  width_ = std::max(width_, place.size());
  rows_.push_back({time, std::move(place), std::move(event)});
}

std::string LifeTable::stamp(Tick time) const {
  char text[32];
  std::snprintf(text, sizeof text, "# %12.3f  ", (static_cast<double>(time) - static_cast<double>(epoch_)) / 1e3);
  return text;
}

std::string LifeTable::text(const std::vector<LifeMarker>& markers) const {
  const auto padded = [this](const std::string& place) { return place + std::string(width_ + 2 - place.size(), ' '); };
  std::string text = "# " + title_ + "\n#      time ns  " + padded("place") + event_ + "\n";
  for (const Row& r : rows_) text += stamp(r.time) + padded(r.place) + r.event + "\n";
  for (const LifeMarker& m : markers) text += stamp(m.time) + m.name + "\n";
  return text;
}

}  // namespace tributary
