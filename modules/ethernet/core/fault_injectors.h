#pragma once
/// FaultInjectors: those of a machine, on the links that need one.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

#include "modules/ethernet/core/ethernet_links.h"
#include "modules/ethernet/core/fault_injector.h"

namespace tributary {

/// Outlives the last frame.
class FaultInjectors {
 public:
  explicit FaultInjectors(FaultScript script) : script_(std::move(script)) {}
  FaultInjectors(const FaultInjectors&) = delete;
  FaultInjectors& operator=(const FaultInjectors&) = delete;

  /// Of the link behind that port; where nothing can happen the link goes without. Throws as FaultInjector.
  void add(EthernetLinks& links, unsigned port, const FaultInjector::Config& config) {
    ++links_;
    injectors_.emplace_back(script_, config);
    if (injectors_.back().harmless())
      injectors_.pop_back();
    else
      links.set_faults(port, &injectors_.back());
  }
  /// Of what happens by chance from then on.
  void reseed(std::uint64_t seed) { script_.seed = seed; }
  std::size_t size() const { return injectors_.size(); }
  /// That were added, with or without an injector: numbers them.
  std::uint64_t links() const { return links_; }

 private:
  FaultScript script_;
  std::deque<FaultInjector> injectors_;  // links point to them
  std::uint64_t links_ = 0;
};

}  // namespace tributary
