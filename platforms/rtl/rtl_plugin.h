#pragma once
/// TRIBUTARY_RTL: a plug-in from a Verilated block (docs/rtl.md).

#include <string>

#include "modules/rtl/core/rtl_block.h"
#include "platforms/plugin.h"

namespace tributary {

/// Adds the factory of a block in RTL. `block`: a name of `tributary list pins`; throws std::invalid_argument for
/// an unknown block, and for places of a block that a plug-in replaces everywhere.
void add_rtl_block(BlockFactories& blocks, const std::string& block, const RtlBlock& rtl);

}  // namespace tributary

// The build of a plug-in sets these: parameters of the RTL, types of elements, operations, instances; empty: defaults, all.
#ifndef TRIBUTARY_RTL_PARAMETERS
#define TRIBUTARY_RTL_PARAMETERS ""
#endif
#ifndef TRIBUTARY_RTL_TYPES
#define TRIBUTARY_RTL_TYPES ""
#endif
#ifndef TRIBUTARY_RTL_OPS
#define TRIBUTARY_RTL_OPS ""
#endif
#ifndef TRIBUTARY_RTL_PLACES
#define TRIBUTARY_RTL_PLACES "*"
#endif

/// Defines the entry point of a plug-in: `block` in RTL is the class `Verilated`, whose pins the template function
/// `pins(PinSet&, Verilated&)` adds. Include "modules/rtl/verilated_model.h" first.
#define TRIBUTARY_RTL(block, Verilated, pins)                                                                             \
  TRIBUTARY_PLUGIN(blocks) {                                                                                              \
    const auto make = [seed = blocks.register_seed()]() -> std::unique_ptr<tributary::RtlModel> {                         \
      return std::make_unique<tributary::VerilatedModel<Verilated>>(&pins<tributary::PinSet>, seed);                      \
    };                                                                                                                    \
    tributary::add_rtl_block(blocks, #block,                                                                              \
                             tributary::rtl_block(make, TRIBUTARY_RTL_PARAMETERS, TRIBUTARY_RTL_TYPES, TRIBUTARY_RTL_OPS, \
                                                  TRIBUTARY_RTL_PLACES, blocks.rtl_traces()));                            \
  }
