#pragma once
/// StepPlaces: places of a step's operations in the memory of the ranks.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "modules/protocol/segmentation.h"
#include "testbench/workload/job.h"

namespace tributary {

/// Converts addresses of an operation alone to addresses in the memory of the step: its message is a range of the step's
/// buffer, and everything after the message (mailboxes) is elsewhere.
struct OperationPlace {
  std::uint64_t message_bytes = 0;
  std::uint64_t message = 0, mailboxes = 0;

  std::uint64_t operator()(std::uint64_t address) const {
    return address < message_bytes ? message + address : mailboxes + (address - message_bytes);
  }
};

/// Memory after the buffer of the step, which begins at the same address on all ranks that share it.
class StepPlaces {
 public:
  explicit StepPlaces(const JobSpec& job)
      : buffer_(blocks_of(job.step->bytes()) * block_bytes), free_(job.ranks.size(), buffer_) {}

  std::uint64_t buffer_bytes() const { return buffer_; }
  /// Reserves memory on these ranks, and returns its address.
  std::uint64_t reserve(const std::vector<int>& ranks, std::uint64_t bytes) {
    std::uint64_t address = 0;
    for (const int rank : ranks) address = std::max(address, free_.at(static_cast<std::size_t>(rank)));
    for (const int rank : ranks) free_.at(static_cast<std::size_t>(rank)) = address + bytes;
    return address;
  }
  /// Returns the memory that each rank needs.
  std::uint64_t bytes() const { return *std::max_element(free_.begin(), free_.end()); }

 private:
  std::uint64_t buffer_;
  std::vector<std::uint64_t> free_;  // by rank: end of the reserved memory
};

}  // namespace tributary
