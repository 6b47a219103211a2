#pragma once
/// FieldSample: a transaction with fields of each kind, for tests of values and of their comparison.

#include <cstdint>
#include <cstring>

#include "modules/base/field_values.h"

namespace tributary {

inline const char* const sample_colours[] = {"red", "green", nullptr};
enum class SampleColour : std::uint8_t { red, green };

struct FieldSample {
  SampleColour colour = SampleColour::green;
  std::uint16_t count = 7;
  bool last = true;
  Tick due = never;
  std::int32_t lanes[4] = {1, -2, 3, 4};
};

inline FieldVisitor::Data bytes_of(const FieldSample& s) {
  return {reinterpret_cast<const std::byte*>(s.lanes), sizeof s.lanes};
}

inline void visit(FieldVisitor& v, FieldSample& s) {
  v.name("colour", s.colour, sample_colours);
  const FieldVisitor::Group in(v, "in");
  v.number("count", s.count);
  v.flag("last", s.last);
  v.time("due", s.due);
  const FieldVisitor::Data data = v.data("lanes", bytes_of(s), ElementType::i32, 0);
  if (v.sets() && data.size == sizeof s.lanes) std::memcpy(s.lanes, data.bytes, sizeof s.lanes);
}

/// Reads all fields.
inline FieldValues values_of(FieldSample s) {
  FieldValues values;
  FieldReader reader(values);
  visit(reader, s);
  return values;
}

}  // namespace tributary
