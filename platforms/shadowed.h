#pragma once
/// shadowed(): a factory whose blocks are those of the model, compared with others (docs/block_checks.md#in-a-test-bench).

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "modules/blockcheck/core/block_shadow.h"
#include "platforms/observed_blocks.h"

namespace tributary {

using BlockShadows = std::vector<std::shared_ptr<BlockShadow>>;

/// Returns a factory for a platform or device: each block of `model` decides, and a block of `other` receives copies of its
/// requests. Appends a comparison for each instance to `shadows`, which outlives the elaboration. `Kit`:
/// TableKit<TableFields> for reduction tables, CopyEngineKit for copy engines. `clock`: period of the interface in ps, for
/// rules with clocks.
template <class Kit, class... Config>
std::function<std::unique_ptr<typename Kit::Module>(const char* name, const Config&...)> shadowed(
    std::function<std::unique_ptr<typename Kit::Module>(const char* name, const Config&...)> model,
    std::function<std::unique_ptr<typename Kit::Module>(const char* name, const Config&...)> other, BlockShadows& shadows,
    CompareRule rule = {}, Tick clock = 0) {
  return [=, &shadows](const char* name, const Config&... config) -> std::unique_ptr<typename Kit::Module> {
    std::unique_ptr<typename Kit::Module> block = model(name, config...);
    const std::string driver = std::string(name) + "_shadow", observed = std::string(name) + "_observed";
    shadows.push_back(std::make_shared<BlockShadow>(
        BlockPlace{"", block->name(), clock, {}},
        std::make_unique<typename Kit::Driver>(driver.c_str(), [&](const char* own) { return other(own, config...); }),
        rule));
    return Kit::observe(observed.c_str(), std::move(block), BlockObservers{shadows.back()}, nullptr, clock);
  };
}

}  // namespace tributary
