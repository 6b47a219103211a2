#pragma once
/// Blocks of switches as modules with pins, in the runs of tests.

#include <catch2/catch.hpp>
#include <memory>
#include <stdexcept>
#include <string>

#include "modules/rtl/pin_block.h"
#include "platforms/rtl/pin_plugin.h"
#include "testbench/test/harness/forked_run.h"

namespace tributary {

/// Makes a module with these options, whose ports bind(SignalPins&, Module&) binds.
template <class Module, class... Options>
MakePinned maker(Options... options) {
  return [=](SignalPins& signals) -> std::unique_ptr<sc_core::sc_module> {
    auto module = std::make_unique<Module>("block", options...);
    bind(signals, *module);
    return module;
  };
}

/// The run with a block of that name at these places.
inline RunSpec with_block(RunSpec spec, const std::string& block, const MakePinned& make, const std::string& parameters,
                          const std::string& places, unsigned latency = 0) {
  add_pin_block(spec.blocks, block, {make, rtl_block({}, parameters, "", "", places), latency});
  return spec;
}

/// Returns the line with which a run is refused when it is elaborated; empty if it is not.
inline std::string refusal(const RunSpec& spec) {
  return in_child([&] {
    try {
      Session session(spec);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  });
}

/// Returns the report of a run that ends by a wrong block.
inline std::string report_of_wrong_block(const RunSpec& spec) {
  const ResultRow row = run_one(spec).row;
  CHECK(row.status == Status::block_wrong);
  return row.report;
}

}  // namespace tributary
