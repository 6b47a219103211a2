#include "platforms/kernel_time.h"

#include <cstring>
#include <systemc>

#include "modules/base/sysc/kernel_time.h"
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
    const KernelTimePart* const part = facet_of(*child);
    if (part != nullptr && part->needs_kernel_time() && !is_driven(*child)) {
      parts.names.emplace_back(child->name() + prefix);
      parts.wait_in_calls |= part->waits_in_calls();
    }
    find(*child, prefix, parts);
  }
}

const KernelTimePart* KernelTimeSearch::facet_of(const sc_core::sc_object& object) {
  const auto [type, is_new] = has_facet_.try_emplace(&typeid(object), true);
  if (!type->second) return nullptr;
  const auto* const part = dynamic_cast<const KernelTimePart*>(&object);
  if (is_new) type->second = part != nullptr;
  return part;
}

}  // namespace tributary
