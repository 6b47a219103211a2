#pragma once
/// Parameters of a NIC that have the effect of the times of a part.

#include <optional>
#include <string>

#include "modules/blockcheck/core/block_access.h"

namespace tributary {

/// See FamilyBlocks::setting().
std::optional<std::string> nic_setting(const BlockPlace& place, const BlockAccess& access);

}  // namespace tributary
