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

std::vector<std::string> KernelTimeSearch::parts_of(const sc_core::sc_object& device) {
  std::vector<std::string> names;
  find(device, std::strlen(device.name()) + 1, names);
  return names;
}

void KernelTimeSearch::find(const sc_core::sc_object& object, std::size_t prefix, std::vector<std::string>& names) {
  for (const sc_core::sc_object* child : object.get_child_objects()) {
    const KernelTimePart* const part = facet_of(*child);
    if (part != nullptr && part->needs_kernel_time() && !is_driven(*child)) names.emplace_back(child->name() + prefix);
    find(*child, prefix, names);
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
