#include "modules/link/far_end.h"

#include <vector>

namespace tributary {
namespace {

/// Returns the export below `objects` that provides `wanted`; null if there is none.
const sc_core::sc_object* export_of(const sc_core::sc_interface* wanted, const std::vector<sc_core::sc_object*>& objects) {
  for (const sc_core::sc_object* object : objects) {
    const auto* const found = dynamic_cast<const sc_core::sc_export_base*>(object);
    if (found != nullptr && found->get_interface() == wanted) return object;
    if (const auto* const below = export_of(wanted, object->get_child_objects())) return below;
  }
  return nullptr;
}

}  // namespace

std::string far_end_of(const LinkInitiator& out) {
  const sc_core::sc_object* const end = export_of(out.get_interface(), sc_core::sc_get_top_level_objects());
  const sc_core::sc_object* const module = end == nullptr ? nullptr : end->get_parent_object();
  return module == nullptr ? "unknown" : module->name();
}

}  // namespace tributary
