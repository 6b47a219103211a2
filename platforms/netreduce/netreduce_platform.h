#pragma once
/// NetReducePlatform: hosts on Ethernet switches with accelerators (Liu et al., ASPLOS 2023).

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "modules/timing/completion_listener.h"
#include "platforms/netreduce/ethernet_part.h"
#include "platforms/netreduce/host_agents.h"
#include "platforms/netreduce/host_program.h"

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
    unsigned lanes = 1;                         ///< threads that run the platform, at most
  };
  /// Throws std::invalid_argument if the configuration cannot be built.
  NetReducePlatform(const sc_core::sc_module_name& name, const topology::Racks& racks, const Config& config,
                    CompletionListener& listener);
  ~NetReducePlatform() override;

  /// Returns its devices.
  EthernetPart& devices() { return devices_; }
  const topology::Racks& racks() const { return devices_.racks(); }
  const NetReducePlatformParams& params() const { return config_.params; }
  /// Format of frames that are rendered as bytes.
  static FrameFormat frame_format(const topology::Racks& racks, const NetReducePlatformParams& params) {
    return EthernetPart::frame_format(racks, params);
  }
  FrameFormat frame_format() const { return devices_.frame_format(); }
  EthernetHost& host(unsigned i) { return devices_.host(i); }
  EthernetSwitch& ethernet_switch(unsigned i) { return devices_.ethernet_switch(i); }
  Accelerator& accelerator(unsigned i) { return devices_.accelerator(i); }

  // Job initialisation; call after a reset.
  RingManager& rings() { return devices_.rings(); }
  /// Creates the queue pairs at both ends of a connection.
  void join(const HostConnection& connection) { devices_.join(connection); }
  /// Numbers of one connection in the programs of both of its ends.
  struct ConnectionNumbers {
    unsigned from = 0, to = 0;
  };
  /// Connects two endpoints: by queue pairs, or inside of their host.
  ConnectionNumbers connect(unsigned from, unsigned to);
  /// Connects two endpoints by queue pairs that join() has made; `of_ring`: for messages of NetReduce.
  ConnectionNumbers connect(unsigned from, unsigned to, const HostConnection& connection, bool of_ring);
  /// Configures accelerators and access lists for all rings.
  void set_rings() { devices_.set_rings(); }
  /// The endpoint carries out `program` from `t0` on. Throws std::logic_error on a stage that the agent of its host does not
  /// have. A server is the first endpoint of its host.
  void post(unsigned end, HostProgram program, Tick t0);
  /// Starts the background traffic, if it is configured, at `t0`, and stops it: no datagram is due at `end` or later. Call
  /// both at least command_latency() ahead.
  void start_background(Tick t0) { devices_.start_background(t0); }
  void stop_background(Tick end) { devices_.stop_background(end); }
  /// Time from a command to its first effect: at least Windows::ahead.
  static Tick command_latency(const NetReducePlatformParams& params) { return EthernetPart::command_latency(params); }

  /// GPUs; if each host has one, the hosts.
  unsigned endpoints() const override { return static_cast<unsigned>(racks().ranks()); }
  unsigned host_of(unsigned end) const { return end / gpus(); }
  unsigned gpus() const { return gpus_; }
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
  CounterUnion union_of(const std::string& counter) const override;
  /// Bytes of an input FIFO of an accelerator that are reserved for frames that still arrive after a pause.
  static std::uint64_t accelerator_headroom(const NetReducePlatformParams& params, unsigned largest_frame) {
    return EthernetPart::accelerator_headroom(params, largest_frame);
  }
  /// Returns the bytes on the wire of the largest frame.
  static unsigned largest_frame(const NetReducePlatformParams& params, bool with_background) {
    return EthernetPart::largest_frame(params, with_background);
  }
  /// Sets the seed of initial PSNs and random faults of future runs.
  void reseed(std::uint64_t seed) { devices_.reseed(seed); }
  Tick longest_silence(std::uint64_t bytes) const override;
  void reset() override;

 private:
  int node_of(unsigned end) const override;
  EthernetPart::Config part_config(const topology::Racks& racks, CompletionListener& listener);
  EthernetPart::HostParts parts_of_host(unsigned host, unsigned hosts, CompletionListener& listener);
  std::optional<DatagramSource::Config> datagrams_of(unsigned host, unsigned hosts) const;

  Config config_;
  unsigned gpus_;                      ///< per host
  std::vector<ProgramAgent*> agents_;  ///< by host
  std::uint64_t stride_ = 0;           ///< memory of a GPU, in bytes
  EthernetPart devices_;
};

}  // namespace tributary
