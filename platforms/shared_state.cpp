#include "platforms/shared_state.h"

#include <vector>

#include "modules/base/sysc/shared_state.h"
#include "platforms/facet_search.h"
#include "platforms/platform.h"

namespace tributary {
namespace {

using SharedStateSearch = FacetSearch<SharedStatePart>;

std::string find_among(const std::vector<sc_core::sc_object*>& objects, const sc_core::sc_module& platform,
                       SharedStateSearch& search) {
  for (const sc_core::sc_object* object : objects) {
    if (search.of(*object) != nullptr) return object->name();
    const bool is_other = object != &platform && dynamic_cast<const Platform*>(object) != nullptr;
    if (is_other) continue;
    if (std::string name = find_among(object->get_child_objects(), platform, search); !name.empty()) return name;
  }
  return "";
}

}  // namespace

std::string module_with_shared_state(const sc_core::sc_module& platform) {
  SharedStateSearch search;
  return find_among(sc_core::sc_get_top_level_objects(), platform, search);
}

}  // namespace tributary
