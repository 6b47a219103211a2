#pragma once

#include "testbench/run/family.h"

namespace tributary {

/// Hosts on Ethernet, with accelerators at the switches (Liu et al., ASPLOS 2023).
const Family& netreduce_family();

}  // namespace tributary
