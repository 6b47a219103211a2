#pragma once

#include "testbench/run/family.h"

namespace tributary {

/// Networks of NICs with schedule tables (Huang et al., ISCA 2021).
const Family& schedule_nic_family();

}  // namespace tributary
