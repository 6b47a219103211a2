#pragma once

#include "testbench/run/family.h"

namespace tributary {

/// Hosts on a programmable switch: the baselines of NetReduce (SwitchML, ATP).
const Family& tofino_family();

}  // namespace tributary
