#pragma once
/// Type of the numbers of a training step.

#include <string>
#include <vector>

#include "modules/base/element.h"
#include "modules/base/field_type.h"

namespace tributary::training {

/// An element type, or 8 bit numbers in products alone: activations, gradients and messages are bf16 then, and a product
/// reads weights of 1 B (Micikevicius et al., FP8 Formats for Deep Learning, 2022; Transformer Engine). Text form: that of
/// the element type, or `fp8`.
struct NumberType {
  ElementType element = ElementType::f32;  ///< of activations, of weights in memory, and of messages
  bool fp8 = false;

  NumberType() = default;
  NumberType(ElementType type) : element(type) {}
  operator ElementType() const { return element; }
  /// Returns the bytes of a weight that a product reads.
  std::size_t product_bytes() const { return fp8 ? 1 : element_size(element); }
};

}  // namespace tributary::training

namespace tributary {

template <>
struct FieldType<training::NumberType> {
  static constexpr const char* unit = "";
  static constexpr bool ordered = false;
  static std::vector<std::string> choices();
  static std::string legal() { return join_names(choices()); }
  static training::NumberType parse(const std::string& text);
  static std::string print(const training::NumberType& x);
  static ParameterValue value(const training::NumberType& x) { return print(x); }
};

}  // namespace tributary
