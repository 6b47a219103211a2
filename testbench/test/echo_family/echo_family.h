#pragma once

#include "testbench/run/family.h"

namespace tributary {

/// Two devices that echo packets: what the smallest family takes.
const Family& echo_family();

}  // namespace tributary
