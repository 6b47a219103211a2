#include "modules/rtl/core/reduction_passes.h"

#include <functional>

namespace tributary {

ReductionOperands ReductionOperands::take(std::uint64_t elements) {
  ReductionOperands taken;
  while (elements != 0 && !pieces_.empty()) {
    Piece& first = pieces_.front();
    const std::uint64_t part = std::min<std::uint64_t>(elements, first.data.size() / 4);
    taken.add(first.sum, first.data.data(), part);
    elements -= part;
    elements_ -= part;
    first.sum += part * 4;
    first.data.erase(first.data.begin(), first.data.begin() + static_cast<std::ptrdiff_t>(part * 4));
    if (first.data.empty()) pieces_.pop_front();
  }
  return taken;
}

void ReductionOperands::put_back(ReductionOperands operands) {
  elements_ += operands.elements_;
  for (auto piece = operands.pieces_.rbegin(); piece != operands.pieces_.rend(); ++piece)
    pieces_.push_front(std::move(*piece));
}

void ReductionOperands::copy_sums(std::byte* to) const {
  for (const Piece& p : pieces_) std::memcpy(to, p.sum, p.data.size()), to += p.data.size();
}

void ReductionOperands::copy_data(std::byte* to) const {
  for (const Piece& p : pieces_) std::memcpy(to, p.data.data(), p.data.size()), to += p.data.size();
}

void ReductionOperands::store(const std::byte* sums) const {
  for (const Piece& p : pieces_) std::memcpy(p.sum, sums, p.data.size()), sums += p.data.size();
}

bool ReductionOperands::overlaps(const ReductionOperands& other) const {
  const std::less<const std::byte*> before;
  for (const Piece& a : pieces_)
    for (const Piece& b : other.pieces_)
      if (before(a.sum, b.sum + b.data.size()) && before(b.sum, a.sum + a.data.size())) return true;
  return false;
}

}  // namespace tributary
