#pragma once
/// FaultInjectors: the fault injectors of a machine, one for each link that needs one.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

#include "modules/ethernet/core/ethernet_links.h"
#include "modules/ethernet/core/fault_injector.h"

namespace tributary {

/// Must outlive the last frame.
class FaultInjectors {
 public:
  explicit FaultInjectors(FaultScript script) : script_(std::move(script)) {}
  FaultInjectors(const FaultInjectors&) = delete;
  FaultInjectors& operator=(const FaultInjectors&) = delete;

  /// Adds a link, which `links` drives by `port`. A link on which no fault can occur gets no injector. Throws as
  /// FaultInjector does.
  void add(EthernetLinks& links, unsigned port, const FaultInjector::Config& config) {
    ++links_;
    injectors_.emplace_back(script_, config);
    if (injectors_.back().harmless())
      injectors_.pop_back();
    else
      links.set_faults(port, &injectors_.back());
  }
  /// Sets the seed of random faults of future runs.
  void reseed(std::uint64_t seed) { script_.seed = seed; }
  std::size_t size() const { return injectors_.size(); }
  /// Number of links added so far, with or without an injector; it is the number of the next link.
  std::uint64_t links() const { return links_; }

 private:
  FaultScript script_;
  std::deque<FaultInjector> injectors_;  // deque: links point to its elements
  std::uint64_t links_ = 0;
};

}  // namespace tributary
