#pragma once
/// TRIBUTARY_PINS_PLUGIN: a plug-in from a module with pins, which follows the kernel's clock (docs/rtl.md).

#include <memory>
#include <string>

#include "modules/rtl/pin_block.h"
#include "platforms/plugin.h"

namespace tributary {

/// Adds the factory of a block with pins. `block`: a name of `tributary list pins`; throws std::invalid_argument for a block
/// that has no adapter.
void add_pin_block(BlockFactories& blocks, const std::string& block, const PinBlock& pins);

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

/// Defines the entry point of a plug-in: `block` is the sc_module `Module`, whose ports the template function
/// `bind(SignalPins&, Module&)` adds: set("s_id", module.s_id). `clocks`: latency, from the first beat of a request to the
/// first beat of its answer.
#define TRIBUTARY_PINS_PLUGIN(block, Module, bind, clocks)                                                                 \
  TRIBUTARY_PLUGIN(blocks) {                                                                                               \
    const auto make = [](tributary::SignalPins& signals) -> std::unique_ptr<sc_core::sc_module> {                          \
      auto module = std::make_unique<Module>("block");                                                                     \
      bind(signals, *module);                                                                                              \
      return module;                                                                                                       \
    };                                                                                                                     \
    tributary::add_pin_block(                                                                                              \
        blocks, #block,                                                                                                    \
        {make,                                                                                                             \
         tributary::rtl_block({}, TRIBUTARY_RTL_PARAMETERS, TRIBUTARY_RTL_TYPES, TRIBUTARY_RTL_OPS, TRIBUTARY_RTL_PLACES), \
         clocks});                                                                                                         \
  }
