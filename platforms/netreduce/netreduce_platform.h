#pragma once
/// NetReducePlatform: hosts on Ethernet switches with accelerators (Liu et al., ASPLOS 2023).

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "modules/ethernet/core/fault_injectors.h"
#include "modules/ethernet_switch/ethernet_switch.h"
#include "modules/netreduce/accelerator.h"
#include "modules/roce/ethernet_host.h"
#include "modules/timing/completion_listener.h"
#include "platforms/netreduce/host_agents.h"
#include "platforms/netreduce/host_program.h"
#include "platforms/netreduce/platform_params.h"
#include "platforms/netreduce/ring_manager.h"
#include "platforms/platform.h"
#include "platforms/topology/racks.h"

namespace tributary {

class ProgramAgent;

/// Background traffic: each host but the target sends datagrams at this fraction of its port's rate.
struct HostBackground {
  double load = 0;              ///< above 0, at most 1
  std::optional<int> target{};  ///< destination of all datagrams (incast); empty: each goes to any other host
};

class NetReducePlatform : public Platform {
 public:
  struct Config {
    NetReducePlatformParams params;
    std::vector<HostRole> roles;  ///< by host
    bool with_data = true;
    bool windowed = true;
    std::uint64_t seed = 1;
    std::optional<HostBackground> background{};
    unsigned fallbacks = 0;                     ///< jobs without room in the accelerators, for the counters
    std::vector<FaultRule> faults;              ///< faults of links
    std::vector<std::uint16_t> rank_of;         ///< by host, for faults; a host without an entry has its own number
    Accelerator::Parts accelerator_parts = {};  ///< factories of the parts of all accelerators
    AccessListFactory make_access_list = {};    ///< empty: the list of the model, with `switch.access_rules`
    SwitchRouterFactory make_router = {};       ///< for every switch; empty: ECMP by a hash
  };
  /// Throws std::invalid_argument if the configuration cannot be built.
  NetReducePlatform(const sc_core::sc_module_name& name, topology::Racks racks, const Config& config,
                    CompletionListener& listener);
  ~NetReducePlatform() override;

  const topology::Racks& racks() const { return racks_; }
  const NetReducePlatformParams& params() const { return config_.params; }
  /// Format of frames that are rendered as bytes.
  static FrameFormat frame_format(const topology::Racks& racks, const NetReducePlatformParams& params);
  FrameFormat frame_format() const { return frame_format(racks_, config_.params); }
  EthernetHost& host(unsigned i) { return *hosts_.at(i); }
  EthernetSwitch& ethernet_switch(unsigned i) { return *switches_.at(i); }
  Accelerator& accelerator(unsigned i) { return *accelerators_.at(i); }

  // Job initialisation; call after a reset.
  RingManager& rings() { return rings_; }
  /// Creates the queue pairs at both ends of a connection.
  void join(const HostConnection& connection);
  /// Numbers of one connection in the programs of both of its ends.
  struct ConnectionNumbers {
    unsigned from = 0, to = 0;
  };
  /// Connects two endpoints: by queue pairs, or inside of their host.
  ConnectionNumbers connect(unsigned from, unsigned to);
  /// Connects two endpoints by queue pairs that join() has made; `of_ring`: for messages of NetReduce.
  ConnectionNumbers connect(unsigned from, unsigned to, const HostConnection& connection, bool of_ring);
  /// Configures accelerators and access lists for all rings.
  void set_rings();
  /// The endpoint carries out `program` from `t0` on. Throws std::logic_error on a stage that the agent of its host does not
  /// have. A server is the first endpoint of its host.
  void post(unsigned end, HostProgram program, Tick t0);
  /// Starts the background traffic, if it is configured, at `t0`, and stops it: no datagram is due at `end` or later. Call
  /// both at least command_latency() ahead.
  void start_background(Tick t0);
  void stop_background(Tick end);
  /// Time from a command to its first effect: at least Windows::ahead.
  static Tick command_latency(const NetReducePlatformParams& params) { return params.nic.tx_latency.value; }

  /// GPUs; if each host has one, the hosts.
  unsigned endpoints() const override { return static_cast<unsigned>(racks_.ranks()); }
  unsigned host_of(unsigned end) const { return end / gpus(); }
  unsigned gpus() const { return static_cast<unsigned>(racks_.gpus); }
  std::byte* memory_of(unsigned end) override;
  /// Start of an endpoint's memory in the memory of its host.
  std::uint64_t base_of(unsigned end) const { return end % gpus() * stride_; }
  void resize_memory(unsigned end, std::uint64_t bytes) override;
  /// `host`: host of a server.
  void resize_server_memory(unsigned host, std::uint64_t bytes);
  /// Each GPU of a host will need `bytes` of memory. Call before any memory is resized.
  void reserve(std::uint64_t bytes);
  /// Counts of all queue pairs: `nic.` accepted, duplicates, nacks_sent (receivers); nacks, rewinds, timeouts, retries
  /// (senders). Counts of all switches: `switch.` drops, fcs_errors, ecn_marks, pauses; with several switches also by
  /// switch, with its name as suffix, where not 0. With DCQCN: `nic.cnps` (received by senders) and `nic.rate_gbps.min` (of
  /// all queue pairs). With background traffic: `background.` sent, skipped, delivered, dropped (by switches). With finite
  /// buffers of accelerators: `accelerator.input_fifo.` max_bytes, drops, pauses, `accelerator.output_queue.max_bytes`.
  /// With netreduce.admission=fallback: `accelerator.fallbacks`; with share: `accelerator.slot_waits`.
  std::map<std::string, double> counters() const override;
  /// Bytes of an input FIFO of an accelerator that are reserved for frames that still arrive after a pause.
  static std::uint64_t accelerator_headroom(const NetReducePlatformParams& params, unsigned largest_frame);
  /// Returns the bytes on the wire of the largest frame.
  static unsigned largest_frame(const NetReducePlatformParams& params, bool with_background);
  /// Sets the seed of initial PSNs and random faults of future runs.
  void reseed(std::uint64_t seed);
  Tick longest_silence(std::uint64_t bytes) const override;
  void reset() override;

 private:
  void add_hosts(CompletionListener& listener);
  std::optional<DatagramSource::Config> datagrams_of(unsigned host) const;
  void add_switches();
  void add_accelerators();
  void add_faults();
  EthernetDevice& device(int node);
  EthernetDevice::PortConfig port(Time latency) const;
  void add_ports(EthernetSwitch::Config& config, bool leaf, int ports) const;
  unsigned largest_frame() const { return largest_frame(config_.params, config_.background.has_value()); }
  std::bitset<max_ethernet_ports> accelerator_ports(int first, int count) const;

  topology::Racks racks_;
  Config config_;
  RingManager rings_;
  FaultInjectors injectors_;
  std::vector<EthernetHost*> hosts_;
  std::vector<ProgramAgent*> agents_;      ///< by host
  std::uint64_t stride_ = 0;               ///< memory of a GPU, in bytes
  std::vector<EthernetSwitch*> switches_;  ///< leaves, then spines
  std::vector<Accelerator*> accelerators_;
};

}  // namespace tributary
