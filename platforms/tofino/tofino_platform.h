#pragma once
/// TofinoPlatform: workers of SwitchML or ATP on a programmable switch (Liu et al., 6; docs/blocks/tofino.md).

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "modules/base/host/large_buffer.h"
#include "modules/ethernet/core/fault_injectors.h"
#include "modules/timing/completion_listener.h"
#include "modules/tofino/tofino_host.h"
#include "modules/tofino/tofino_switch.h"
#include "platforms/platform.h"
#include "platforms/tofino/platform_params.h"
#include "platforms/topology/tofino.h"

namespace tributary {

/// Settings of a scheme that follow from the parameters.
struct TofinoScheme {
  AggregationScheme scheme = AggregationScheme::switchml;
  TofinoWorkerConfig worker;  ///< its stations are not set
  unsigned chained = 1;       ///< number of pipelines in sequence
  Tick ecn_delay = never;
  static TofinoScheme of(AggregationScheme scheme, const TofinoPlatformParams& params);
  /// Returns the configuration of the switch for `ports` ports.
  PassScheduler::Config passes(unsigned ports, const TofinoPlatformParams& params) const;
};

class TofinoPlatform : public Platform {
 public:
  struct Config {
    TofinoPlatformParams params;
    AggregationScheme scheme = AggregationScheme::switchml;
    unsigned workers = 0;  ///< number of workers of its job
    bool with_data = true;
    bool windowed = true;
    std::uint64_t seed = 1;
    std::vector<FaultRule> faults = {};  ///< faults of links, by position and time
    TofinoSwitch::Parts switch_parts = {};
    unsigned lanes = 1;  ///< threads that run the platform, at most
  };
  /// `machine` has a server if the scheme is ATP. Throws std::invalid_argument if the configuration cannot be built.
  TofinoPlatform(const sc_core::sc_module_name& name, topology::Tofino machine, const Config& config,
                 CompletionListener& listener);
  ~TofinoPlatform() override;

  TofinoWorker& worker(unsigned host) { return *workers_.at(host); }
  TofinoSwitch& tofino_switch() { return *switch_; }
  /// Call after a reset. Rank i of the job is hosts[i]; their number is Config::workers.
  void begin_job(const std::vector<int>& hosts);
  /// Time from the begin of a job to its first effect: at least Windows::ahead.
  static Tick command_latency(const TofinoPlatformParams& params) { return params.host.tx_latency.value; }

  unsigned endpoints() const override { return static_cast<unsigned>(machine_.hosts); }
  std::byte* memory_of(unsigned end) override { return memories_.at(end).get(); }
  void resize_memory(unsigned end, std::uint64_t bytes) override;
  std::map<std::string, double> counters() const override;
  Tick longest_silence(std::uint64_t bytes) const override;

 private:
  double most_timeouts() const;
  void add_workers(CompletionListener& listener);
  void add_server();
  void add_switch();
  void add_faults();
  EthernetDevice& device(int node);
  EthernetDevice::PortConfig port() const { return {config_.params.link.rate, config_.params.link.latency}; }
  static std::uint16_t station(int node) { return static_cast<std::uint16_t>(node); }

  topology::Tofino machine_;
  Config config_;
  TofinoScheme scheme_;
  FaultInjectors injectors_;
  std::vector<LargeBuffer> memories_;  ///< by host
  std::vector<TofinoWorker*> workers_;
  TofinoServer* server_ = nullptr;
  TofinoSwitch* switch_ = nullptr;
};

}  // namespace tributary
