#pragma once

#include "testbench/run/family.h"

namespace tributary {

/// GPUs around NVSwitches with reduction tables (Klenk et al., ISCA 2020).
const Family& nvswitch_family();

}  // namespace tributary
