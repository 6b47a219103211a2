#pragma once
/// Factories of blocks that show their transactions to the taps of a run, and drivers of single blocks.

#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "modules/base/parameter_set.h"
#include "modules/base/sysc/kernel_time.h"
#include "modules/blockcheck/observed_copy_engine.h"
#include "modules/blockcheck/observed_table.h"
#include "modules/blockcheck/observed_target.h"
#include "platforms/block_factories.h"

namespace tributary {

/// The modules that observe and drive the blocks of a kind.
template <class Fields>
struct TableKit {
  using Module = TableModule<typename Fields::Transaction>;
  using Monitor = typename ObservedTable<Fields>::Monitor;
  using Observed = ObservedTable<Fields>;
  using Driver = TableDriver<Fields>;
  /// `clock`: period of the block's interface.
  static std::unique_ptr<Module> observe(const char* name, std::unique_ptr<Module> block, BlockObservers observers,
                                         std::shared_ptr<Monitor> monitor, Tick clock) {
    return std::make_unique<Observed>(name, std::move(block), std::move(observers), std::move(monitor), clock);
  }
};
template <class Protocol, class Fields>
struct TargetKit {
  using Module = TargetModule<Protocol>;
  using Monitor = typename ObservedTarget<Protocol, Fields>::Monitor;
  using Observed = ObservedTarget<Protocol, Fields>;
  using Driver = TargetDriver<Protocol, Fields>;
  static std::unique_ptr<Module> observe(const char* name, std::unique_ptr<Module> block, BlockObservers observers,
                                         std::shared_ptr<Monitor> monitor, Tick) {
    return std::make_unique<Observed>(name, std::move(block), std::move(observers), std::move(monitor));
  }
};
struct CopyEngineKit {
  using Module = CopyEngineModule;
  using Monitor = CopyMonitor;
  using Observed = ObservedCopyEngine;
  using Driver = CopyEngineDriver;
  static std::unique_ptr<Module> observe(const char* name, std::unique_ptr<Module> block, BlockObservers observers,
                                         std::shared_ptr<Monitor> monitor, Tick) {
    return std::make_unique<Observed>(name, std::move(block), std::move(observers), std::move(monitor));
  }
};

/// A block that can be observed and driven alone. `Config`: the configuration that its factory receives, if it does.
template <class Kit, class... Config>
struct ObservableBlock {
  using Module = typename Kit::Module;
  using Factory = std::function<std::unique_ptr<Module>(const char* name, const Config&... config)>;

  BlockSlot<Factory> slot;
  Factory model;                                          ///< makes the model's own block
  std::function<Tick(const Config&...)> clock;            ///< period of its interface, ps
  std::function<void(FieldVisitor&, Config&...)> fields;  ///< visits its configuration
  std::function<std::shared_ptr<typename Kit::Monitor>(BlockMonitor::Setup)> make_monitor;

  /// Makes the block of `factories`, or the model's own if it is null, with a driver. Returns null if `factories` does not
  /// have the block. Throws FieldError if `values` are no configuration.
  std::unique_ptr<BlockDriver> drive(const char* name, const BlockFactories* factories, FieldValues values) const {
    FieldSetter setter(values);
    std::tuple<Config...> config;
    std::apply([&](Config&... c) { fields(setter, c...); }, config);
    return std::apply([&](const Config&... c) { return drive_made(name, factories, c...); }, config);
  }
  /// Returns the default configuration, without a name of the place.
  BlockPlace alone() const {
    BlockPlace place{slot.name, "", 0, {}};
    FieldReader reader(place.config);
    std::tuple<Config...> config;
    std::apply([&](Config&... c) { fields(reader, c...); }, config);
    return place;
  }
  /// Returns the clock of a configuration. Throws FieldError.
  Tick clock_of(FieldValues values) const {
    FieldSetter setter(values);
    std::tuple<Config...> config;
    std::apply([&](Config&... c) { fields(setter, c...); }, config);
    return std::apply([&](const Config&... c) { return clock(c...); }, config);
  }
  /// Replaces `factory` by that of `blocks`, and then by one whose blocks show their transactions to the taps of `blocks`.
  /// Returns false if `factory` stays as it is.
  bool replace(Factory& factory, const BlockFactories& blocks) const {
    const Factory* const given = blocks.find(slot);
    if (given != nullptr) factory = *given;
    const std::vector<std::shared_ptr<BlockTap>> taps = blocks.taps_of(slot.name);
    if (taps.empty()) return given != nullptr;
    factory = [all = *this, make = factory ? factory : model, taps](const char* name, const Config&... config) {
      return all.observed(name, make(name, config...), taps, config...);
    };
    return true;
  }

 private:
  std::unique_ptr<BlockDriver> drive_made(const char* name, const BlockFactories* factories, const Config&... config) const {
    const Factory* const make = factories == nullptr ? &model : factories->find(slot);
    if (make == nullptr) return nullptr;
    return std::make_unique<typename Kit::Driver>(name, [&](const char* block) { return (*make)(block, config...); });
  }
  std::unique_ptr<Module> observed(const char* name, std::unique_ptr<Module> block,
                                   const std::vector<std::shared_ptr<BlockTap>>& taps, const Config&... config) const {
    if (block == nullptr) return block;
    // The answer of a block in kernel time is not known when a monitor would check it, unless the call waits for it.
    const auto* const timed = dynamic_cast<const KernelTimePart*>(block.get());
    const bool late = timed != nullptr && !timed->waits_in_calls();
    BlockPlace place{slot.name, block->name(), clock(config...), {}};
    FieldReader reader(place.config);
    std::tuple<Config...> copy(config...);
    std::apply([&](Config&... c) { fields(reader, c...); }, copy);
    BlockObservers observers;
    std::shared_ptr<typename Kit::Monitor> monitor;
    for (const auto& tap : taps) {
      if (const std::optional<Tick> most = tap->monitors(); most && !monitor && !late) {
        monitor = make_monitor({place.name, *most, place.config});
        tap->add(monitor);
      }
      const auto make = [&](const char* driver, const BlockFactories* factories) {
        return drive_made((std::string(name) + "_" + driver).c_str(), factories, config...);
      };
      if (auto observer = tap->attach(place, make)) observers.push_back(std::move(observer));
    }
    if (observers.empty() && !monitor) return block;
    const std::string observed = std::string(name) + "_observed";
    return Kit::observe(observed.c_str(), std::move(block), std::move(observers), std::move(monitor), place.clock);
  }
};

/// Makes the monitor of a kind, with further arguments.
template <class Monitor, class... Arguments>
auto monitor_of(Arguments... arguments) {
  return [arguments...](BlockMonitor::Setup setup) { return std::make_shared<Monitor>(std::move(setup), arguments...); };
}

/// Visits the parameters of a configuration, by path and text.
void visit_parameters(FieldVisitor& v, const ParameterSet& parameters);

/// Returns the driver of a block of a list; null if no block has the name, or `factories` does not have it.
template <class... Blocks>
std::unique_ptr<BlockDriver> drive_block(const std::string& block, const char* name, const BlockFactories* factories,
                                         const FieldValues& config, const Blocks&... blocks) {
  std::unique_ptr<BlockDriver> driver;
  const auto one = [&](const auto& each) {
    if (block == each.slot.name) driver = each.drive(name, factories, config);
  };
  (one(blocks), ...);
  return driver;
}

/// Returns the default configuration of a block of a list; an empty place if no block has the name.
template <class... Blocks>
BlockPlace block_alone(const std::string& block, const Blocks&... blocks) {
  BlockPlace place;
  const auto one = [&](const auto& each) {
    if (block == each.slot.name) place = each.alone();
  };
  (one(blocks), ...);
  return place;
}

/// Returns the clock of a block of a list; 0 if no block has the name.
template <class... Blocks>
Tick block_clock(const std::string& block, const FieldValues& config, const Blocks&... blocks) {
  Tick clock = 0;
  const auto one = [&](const auto& each) {
    if (block == each.slot.name) clock = each.clock_of(config);
  };
  (one(blocks), ...);
  return clock;
}

}  // namespace tributary
