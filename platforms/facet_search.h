#pragma once
/// FacetSearch: finds the modules of a simulation that have a facet.

#include <systemc>
#include <typeinfo>
#include <unordered_map>

namespace tributary {

/// A machine has thousands of objects of a few types, and a failed search for a facet needs hundreds of instructions, so the
/// types without it are kept.
template <class Facet>
class FacetSearch {
 public:
  /// Returns null if the object has no facet.
  const Facet* of(const sc_core::sc_object& object) {
    const auto [type, is_new] = has_facet_.try_emplace(&typeid(object), true);
    if (!type->second) return nullptr;
    const auto* const part = dynamic_cast<const Facet*>(&object);
    if (is_new) type->second = part != nullptr;
    return part;
  }

 private:
  std::unordered_map<const std::type_info*, bool> has_facet_;
};

}  // namespace tributary
