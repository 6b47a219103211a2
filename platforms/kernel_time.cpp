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

void find(const sc_core::sc_object& object, std::size_t prefix, std::vector<std::string>& names) {
  for (const sc_core::sc_object* child : object.get_child_objects()) {
    if (std::strcmp(child->kind(), "sc_module") != 0) continue;
    const auto* part = dynamic_cast<const KernelTimePart*>(child);
    if (part != nullptr && part->needs_kernel_time() && !is_driven(*child)) names.emplace_back(child->name() + prefix);
    find(*child, prefix, names);
  }
}

}  // namespace

std::vector<std::string> parts_in_kernel_time(const sc_core::sc_object& device) {
  std::vector<std::string> names;
  find(device, std::strlen(device.name()) + 1, names);
  return names;
}

}  // namespace tributary
