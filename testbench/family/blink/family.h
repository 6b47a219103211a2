#pragma once

#include "testbench/run/family.h"

namespace tributary {

/// Servers of GPUs with copy engines (Wang et al., MLSys 2020; docs/systems/blink.md).
const Family& blink_family();

}  // namespace tributary
