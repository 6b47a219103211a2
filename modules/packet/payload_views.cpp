#include "modules/packet/payload_views.h"

#include <algorithm>
#include <cstring>

namespace tributary {

PayloadViews::Id PayloadViews::add(Owner& owner, const std::byte* memory, std::uint64_t from, std::uint64_t bytes,
                                   std::uint64_t to) {
  if (free_.empty()) {
    if (views_.size() > most_) return none;
    free_.push_back(static_cast<Id>(views_.size()));
    views_.emplace_back();
  }
  const Id id = free_.back();
  free_.pop_back();
  views_[id] = {memory + from, to, 0, &owner, 0, true};
  owner.ranges_.push_back({from, from + bytes, id});
  return id;
}

bool PayloadViews::copy_on_write(Owner& owner, std::uint64_t address, std::uint64_t bytes) {
  const std::vector<Owner::Range> ranges = owner.ranges_;
  bool any = false;
  for (const Owner::Range& r : ranges) {
    View& view = views_[r.id];
    if (address >= r.begin + view.sent || r.begin >= address + bytes || view.in_flight == 0) continue;
    view.copy.reset(new std::byte[view.sent]);
    std::memcpy(view.copy.get(), view.data, view.sent);
    view.data = view.copy.get();
    view.open = false;
    forget(owner, r.id);
    any = true;
  }
  return any;
}

void PayloadViews::forget(Owner& owner, Id id) {
  std::vector<Owner::Range>& ranges = owner.ranges_;
  const auto range = std::find_if(ranges.begin(), ranges.end(), [id](const Owner::Range& r) { return r.id == id; });
  if (range == ranges.end()) return;
  *range = ranges.back();
  ranges.pop_back();
}

void PayloadViews::end(Id id) {
  forget(*views_[id].owner, id);
  views_[id].copy.reset();
  free_.push_back(id);
}

void PayloadViews::reset() {
  for (View& view : views_)
    if (view.owner != nullptr) view.owner->ranges_.clear();
  views_.resize(1);
  free_.clear();
}

}  // namespace tributary
