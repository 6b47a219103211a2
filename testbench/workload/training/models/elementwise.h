#pragma once
/// Operations on each element of a layer's inputs or outputs. They are bound by memory.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tributary::training {

enum class Elementwise : std::uint8_t { norm, relu, gelu, silu, swiglu, add, dropout, softmax, relu2, rotary };

/// Memory traffic of an operation, and what backward needs of it. Elements are counted in halves: an operation that joins
/// two halves of its input writes half as many elements as it reads.
struct ElementwiseCost {
  const char* name;
  unsigned forward, backward;  ///< half elements read and written per element
  unsigned kept;               ///< half elements kept for backward, without the result, which the next layer keeps
  unsigned mask;               ///< bytes per element, written forward, kept, and read backward
};

const ElementwiseCost& cost_of(Elementwise operation);
/// Returns the operation of this name; none if there is none.
std::optional<Elementwise> elementwise_of(const std::string& name);
/// Returns all names, joined by commas.
std::string elementwise_names();

/// Bytes that operations move and keep.
struct ElementwiseBytes {
  std::uint64_t forward = 0, backward = 0, kept = 0;
};
/// Returns the bytes of the operations, one after another, on this number of elements. Throws InputError beyond 2^64.
ElementwiseBytes elementwise_bytes(const std::vector<Elementwise>& operations, std::uint64_t elements,
                                   std::uint64_t element_bytes);

}  // namespace tributary::training
