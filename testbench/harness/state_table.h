#pragma once
/// StateTable: the states that an explorer has visited, each a row of numbers of its parts
/// (docs/systems/netreduce.md#loss).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "modules/base/random.h"

namespace tributary {

/// Assigns numbers from 0 to byte strings, so that a part of a state is stored once for all states that share it.
class PartNames {
 public:
  std::uint32_t number(const std::string& part) {
    const auto [at, added] = numbers_.emplace(part, static_cast<std::uint32_t>(parts_.size()));
    if (added) parts_.push_back(&at->first);
    return at->second;
  }
  const std::string& part(std::uint32_t number) const { return *parts_[number]; }
  std::size_t size() const { return parts_.size(); }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<const std::string*> parts_;
};

/// Distinct rows of equal width, numbered from 0. Uses open addressing.
class StateTable {
 public:
  explicit StateTable(std::size_t width) : width_(width), slots_(1024, none) {}

  std::size_t size() const { return rows_.size() / width_; }
  const std::uint32_t* row(std::size_t number) const { return &rows_[number * width_]; }
  /// Returns the number of the row, and true if it is new.
  std::pair<std::uint32_t, bool> add(const std::uint32_t* row) {
    if (2 * size() >= slots_.size()) grow();
    std::uint32_t& slot = find(row);
    if (slot != none) return {slot, false};
    slot = static_cast<std::uint32_t>(size());
    rows_.insert(rows_.end(), row, row + width_);
    return {slot, true};
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::uint32_t& find(const std::uint32_t* row) {
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < width_; ++i) hash = mix64(hash ^ row[i]);
    for (std::size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1))
      if (slots_[at] == none || std::equal(row, row + width_, this->row(slots_[at]))) return slots_[at];
  }
  void grow() {
    slots_.assign(2 * slots_.size(), none);
    for (std::size_t i = 0; i < size(); ++i) find(row(i)) = static_cast<std::uint32_t>(i);
  }

  std::size_t width_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> slots_;  // size is a power of two
};

}  // namespace tributary
