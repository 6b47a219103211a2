#include "testbench/run/blocks/record_tap.h"

#include <algorithm>
#include <utility>

#include "testbench/run/blocks/beat_files.h"
#include "testbench/run/blocks/place_globs.h"
#include "testbench/run/errors.h"

namespace tributary {

RecordTap::RecordTap(std::vector<std::string> globs, std::string folder, std::string platform, std::uint64_t limit)
    : globs_(std::move(globs)), open_(globs_), folder_(std::move(folder)), platform_(std::move(platform)), limit_(limit) {}

std::shared_ptr<BlockObserver> RecordTap::attach(const BlockPlace& place, const MakeDriver&) {
  places_.push_back(place.name);
  const auto glob =
      std::find_if(open_.begin(), open_.end(), [&](const std::string& g) { return selects_place(g, place.name); });
  if (glob == open_.end()) return nullptr;
  open_.erase(glob);
  const std::string folder = globs_.size() == 1 ? folder_ : folder_ + "/" + place.name;
  recorders_.push_back(std::make_shared<BlockRecorder>(folder, place, platform_, limit_, beats_of(place)));
  return recorders_.back();
}

void RecordTap::check() const {
  if (!open_.empty()) throw SetupError(no_such_place("--record-block", open_.front(), places_));
}

void RecordTap::finish() {
  for (const auto& recorder : recorders_) recorder->finish();
}

}  // namespace tributary
