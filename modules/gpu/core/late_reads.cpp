#include "modules/gpu/core/late_reads.h"

#include <algorithm>
#include <utility>

namespace tributary {

void LateReads::when_read(Tick known, Packet* packet, Action action) {
  const auto group = std::make_shared<Group>(Group{open_.size(), known, packet, std::move(action)});
  for (const Ticket ticket : open_) groups_[ticket] = group;
  open_.clear();
  ++waiting_;
}

void LateReads::answered(Ticket ticket, Tick when) {
  const auto found = groups_.find(ticket);
  const std::shared_ptr<Group> group = found->second;
  groups_.erase(found);
  group->ready = std::max(group->ready, when);
  if (--group->left != 0) return;
  --waiting_;
  group->action(group->ready);
}

void LateReads::clear() {
  for (const auto& [ticket, group] : groups_)
    if (Packet* const packet = std::exchange(group->packet, nullptr)) packet->release();
  groups_.clear();
  open_.clear();
  waiting_ = 0;
}

}  // namespace tributary
