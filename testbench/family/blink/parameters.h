#pragma once

#include "platforms/blink/platform_params.h"
#include "testbench/family/blink/codegen_params.h"
#include "testbench/run/parameters.h"

namespace tributary {

/// Hardware and software side by side, as their paths are.
struct BlinkParams {
  BlinkPlatformParams platform;
  CodegenParams codegen;
};
template <class V>
void visit(V& v, BlinkParams& p) {
  visit(v, p.platform);
  visit(v, p.codegen);
}

/// BlinkParams with their defaults.
std::unique_ptr<FamilyParameters> blink_parameters();

}  // namespace tributary
