#pragma once

#include "testbench/run/family.h"

namespace tributary {

/// Two devices that echo packets: the minimum of a family.
const Family& echo_family();

}  // namespace tributary
