#pragma once
/// ElementLimits: a block that computes only some types of elements, operations, or numbers of operands.

#include <stdexcept>

#include "modules/base/element.h"

namespace tributary {

/// The block cannot carry out a message. One line with the block and the legal values.
class UnfitBlock : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A module that implements this is asked before each message that uses it.
class ElementLimits {
 public:
  virtual ~ElementLimits() = default;
  /// Throws UnfitBlock if the block cannot add `operands` operands of this type by this operation.
  virtual void check_elements(ElementType type, ReduceOp op, unsigned operands) const = 0;
};

/// Asks a module, if it has limits.
template <class Module>
void check_elements(const Module* module, ElementType type, ReduceOp op, unsigned operands) {
  if (const auto* limits = dynamic_cast<const ElementLimits*>(module)) limits->check_elements(type, op, operands);
}

}  // namespace tributary
