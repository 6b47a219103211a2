#include "platforms/kernel_time_search.h"

#include <cstring>

#include "modules/blockcheck/core/block_access.h"

namespace tributary {
namespace {

bool is_driven(const sc_core::sc_object& part) {
  for (const sc_core::sc_object* o = &part; o != nullptr; o = o->get_parent_object())
    if (dynamic_cast<const BlockDriver*>(o) != nullptr) return true;
  return false;
}

}  // namespace

KernelTimeSearch::Parts KernelTimeSearch::parts_of(const sc_core::sc_object& device) {
  Parts parts;
  find(device, std::strlen(device.name()) + 1, parts);
  return parts;
}

void KernelTimeSearch::find(const sc_core::sc_object& object, std::size_t prefix, Parts& parts) {
  for (const sc_core::sc_object* child : object.get_child_objects()) {
    const KernelTimePart* const part = facets_.of(*child);
    if (part != nullptr && part->needs_kernel_time() && !is_driven(*child)) {
      parts.names.emplace_back(child->name() + prefix);
      parts.wait_in_calls |= part->waits_in_calls();
    }
    find(*child, prefix, parts);
  }
}

}  // namespace tributary
