#pragma once
/// NodeChunks: the chunks that the commands of a node receive, for observers.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "modules/nic/core/nic_program.h"

namespace tributary {

/// A packet names a command at its destination. In a training step commands are numbered by operation, and the address of
/// the packet determines the operation.
class NodeChunks {
 public:
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  void clear() {
    operations_.clear();
    places_.clear();
  }
  /// Adds the next operation of the node. `number`: distinguishes the operations of a step, the same at all nodes.
  void add(const NicProgram& program, std::uint32_t number) {
    Operation& operation = operations_.emplace_back();
    operation.number = number;
    for (const NicCommand& c : program.commands) operation.chunks.push_back(c.number);
  }
  /// Sets the start addresses of operations, in order, as in NicStep.
  void set_places(std::vector<std::pair<std::uint64_t, std::uint32_t>> places) { places_ = std::move(places); }

  /// Returns the chunk of a command; `none` if the node has no such command.
  std::uint64_t chunk(std::uint64_t address, std::size_t command) const {
    const Operation* const operation = operation_of(address);
    return operation != nullptr && command < operation->chunks.size() ? operation->chunks[command] : none;
  }
  /// Returns the number of the operation that uses the address.
  std::uint32_t number(std::uint64_t address) const {
    const Operation* const operation = operation_of(address);
    return operation == nullptr ? 0 : operation->number;
  }

 private:
  struct Operation {
    std::uint32_t number = 0;
    std::vector<std::uint16_t> chunks;  ///< by command
  };

  const Operation* operation_of(std::uint64_t address) const {
    std::size_t index = 0;
    if (!places_.empty()) {
      const auto beyond = std::upper_bound(places_.begin(), places_.end(), address,
                                           [](std::uint64_t a, const auto& place) { return a < place.first; });
      if (beyond == places_.begin()) return nullptr;
      index = (beyond - 1)->second;
    }
    return index < operations_.size() ? &operations_[index] : nullptr;
  }

  std::vector<Operation> operations_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> places_;
};

}  // namespace tributary
