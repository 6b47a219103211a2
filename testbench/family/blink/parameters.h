#pragma once

#include "platforms/blink/platform_params.h"
#include "testbench/family/blink/codegen_params.h"
#include "testbench/run/parameters.h"

namespace tributary {

/// Parameters of the hardware and of the software; both have paths that begin with `blink.`.
struct BlinkParams {
  BlinkPlatformParams platform;
  CodegenParams codegen;
};
template <class V>
void visit(V& v, BlinkParams& p) {
  visit(v, p.platform);
  visit(v, p.codegen);
}

/// Returns BlinkParams with their defaults.
std::unique_ptr<FamilyParameters> blink_parameters();

}  // namespace tributary
