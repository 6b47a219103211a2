#pragma once
/// Checks of the answers of an accelerator's parts, which may be a user's. They throw std::logic_error with the name of the
/// part and the rule `answer`.

#include <cstdint>
#include <stdexcept>
#include <string>

#include "modules/netreduce/core/aggregation_ring.h"

namespace tributary {

inline std::string name_of(const AggregationRing& r) { return "ring " + std::to_string(r.ring); }

/// Checks that a part has answered with a place that exists.
template <class Place>
void require_place(const char* part, std::uint64_t place, std::uint64_t places, Place&& name) {
  if (__builtin_expect(place < places, 1)) return;
  throw std::logic_error(std::string(part) + " breaks the rule `answer`: " + name() + " " + std::to_string(place) +
                         "; legal: below " + std::to_string(places));
}

/// Checks that an answer is `right`; `what` returns the error.
template <class What>
void require_answer(const char* part, bool right, What&& what) {
  if (__builtin_expect(right, 1)) return;
  throw std::logic_error(std::string(part) + " breaks the rule `answer`: " + what());
}

}  // namespace tributary
