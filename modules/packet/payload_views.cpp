#include "modules/packet/payload_views.h"

#include <algorithm>
#include <cstring>

namespace tributary {

PayloadViews::Id PayloadViews::lend(Lender& lender, const std::byte* memory, std::uint64_t from, std::uint64_t bytes,
                                    std::uint64_t to) {
  if (free_.empty()) {
    if (loans_.size() > most_) return none;
    free_.push_back(static_cast<Id>(loans_.size()));
    loans_.emplace_back();
  }
  const Id id = free_.back();
  free_.pop_back();
  loans_[id] = {memory + from, to, 0, &lender, 0, true};
  lender.ranges_.push_back({from, from + bytes, id});
  return id;
}

bool PayloadViews::keep(Lender& lender, std::uint64_t address, std::uint64_t bytes) {
  const std::vector<Lender::Range> ranges = lender.ranges_;
  bool any = false;
  for (const Lender::Range& r : ranges) {
    Loan& loan = loans_[r.id];
    if (address >= r.begin + loan.sent || r.begin >= address + bytes || loan.under_way == 0) continue;
    loan.copy.reset(new std::byte[loan.sent]);
    std::memcpy(loan.copy.get(), loan.data, loan.sent);
    loan.data = loan.copy.get();
    loan.open = false;
    forget(lender, r.id);
    any = true;
  }
  return any;
}

void PayloadViews::forget(Lender& lender, Id id) {
  std::vector<Lender::Range>& ranges = lender.ranges_;
  const auto lent = std::find_if(ranges.begin(), ranges.end(), [id](const Lender::Range& r) { return r.id == id; });
  if (lent == ranges.end()) return;
  *lent = ranges.back();
  ranges.pop_back();
}

void PayloadViews::end(Id id) {
  forget(*loans_[id].lender, id);
  loans_[id].copy.reset();
  free_.push_back(id);
}

void PayloadViews::reset() {
  for (Loan& loan : loans_)
    if (loan.lender != nullptr) loan.lender->ranges_.clear();
  loans_.resize(1);
  free_.clear();
}

}  // namespace tributary
