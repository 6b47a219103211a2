#pragma once
/// PostOptions: what a collective that an sc_main posts by name has besides its name and size.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "modules/base/element.h"
#include "modules/base/units.h"

namespace tributary {

/// Writes the message of a rank, `bytes` bytes of elements of PostOptions::type, to `message`.
using FillOperand = std::function<void(int rank, std::byte* message, std::uint64_t bytes)>;

struct PostOptions {
  std::vector<int> ranks = {};          ///< rank i is endpoint ranks[i]; empty: the first `count` endpoints
  int count = 0;                        ///< 0: all endpoints that the platform gives to the algorithm
  ElementType type = ElementType::f32;  ///< type of the elements
  ReduceOp op = ReduceOp::sum;          ///< legal only with a collective that reduces
  int root = 0;                         ///< rank that sends (broadcast, multicast) or receives (reduce, gather)
  std::vector<int> targets = {};        ///< multicast: ranks that receive
  Time start = {};                      ///< simulated time of the start, or as soon as the machine can start it
  std::vector<Time> delays = {};        ///< by rank: delay after the start; empty: all ranks start together
  bool alone = false;                   ///< waits for all collectives that were posted before, also on other ranks
  FillOperand operands = {};            ///< the user's own data; empty: generated data (docs/data.md)
};

/// Returns a function that gives rank r the elements of messages[r]. It throws std::invalid_argument, one line, if a message
/// has another size than the collective.
template <class Element>
FillOperand operands_of(std::vector<std::vector<Element>> messages) {
  return [messages = std::move(messages)](int rank, std::byte* message, std::uint64_t bytes) {
    const std::vector<Element>& own = messages.at(static_cast<std::size_t>(rank));
    if (own.size() * sizeof(Element) != bytes)
      throw std::invalid_argument("the operand of rank " + std::to_string(rank) + " has " +
                                  std::to_string(own.size() * sizeof(Element)) + " B (legal: " + std::to_string(bytes) +
                                  " B, the message)");
    std::memcpy(message, own.data(), bytes);
  };
}

}  // namespace tributary
