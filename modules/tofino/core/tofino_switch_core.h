#pragma once
/// TofinoSwitchCore: a programmable switch that adds what SwitchML's, SwitchML-RDMA's or ATP's workers send
/// (docs/systems/netreduce.md#baselines).

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/probe.h"
#include "modules/ethernet/core/ethernet_links.h"
#include "modules/tofino/core/aggregation_pool.h"
#include "modules/tofino/core/hashed_aggregators.h"
#include "modules/tofino/core/pass_scheduler.h"
#include "modules/tofino/core/update_header.h"

namespace tributary {

struct TofinoSwitchConfig {
  AggregationScheme scheme = AggregationScheme::switchml;
  PassScheduler::Config passes;
  unsigned payload = 128;               ///< bytes of values in a packet
  Tick ecn_delay = never;               ///< of a port's packets: from then on results to it are marked
  std::uint16_t station = 0;            ///< of the switch
  std::vector<std::uint16_t> stations;  ///< by port: the host there
};

/// A job's ports. SwitchML has one job at a time.
struct AggregationGroup {
  std::uint16_t job = 0;
  std::vector<unsigned> workers;  ///< ports, by rank; at most 64
  unsigned server = 0;            ///< ATP: its port
};

/// A frame takes its port's share of a pipeline for each of its passages; then its values are read, and it is added,
/// answered or sent on. Frames are looked at in order of (end of the passage, port). Damaged ones are dropped there. Outputs
/// are queues without limit: what comes by windows and passages bounds them.
class TofinoSwitchCore {
 public:
  struct Counters {
    std::uint64_t updates = 0, results = 0, to_server = 0, forwarded = 0;
    std::uint64_t damaged = 0, refused = 0, marked = 0;
  };

  /// Throws std::invalid_argument: what PassScheduler refuses, stations of another number than ports.
  TofinoSwitchCore(const TofinoSwitchConfig& config, EthernetLinks& links, PacketPool& pool, PoolPort& slots,
                   AggregatorPort& aggregators);

  /// Job initialisation. Throws std::invalid_argument on ports that are not there, too many workers, or two jobs of
  /// SwitchML.
  void begin(std::vector<AggregationGroup> groups);

  /// A frame arrives; its reference comes with it.
  void accept(unsigned port, Packet* frame, Tick head, Tick tail);
  /// All that happens up to `horizon`. Returns the time of the next event.
  Tick run(Tick horizon, bool safe_times);

  const PassScheduler& passes() const { return passes_; }
  const Counters& counters() const { return counters_; }
  std::vector<std::string> waiting() const;
  void reset();
  /// Probes `prefix`passes.waited, `prefix`damaged, .refused, .marked.
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  struct Event {
    Tick when;
    std::uint64_t order;  // port, then arrival
    Packet* frame;
    bool operator>(const Event& e) const { return when != e.when ? when > e.when : order > e.order; }
  };
  const AggregationGroup* group_of(const UpdateHeader& h) const;
  void process(Packet* frame, unsigned port, Tick now);
  void update_pool(const Packet& frame, const UpdateHeader& h, const AggregationGroup& group, Tick now);
  bool update_aggregators(Packet* frame, const UpdateHeader& h, const AggregationGroup& group, Tick now);
  void pass_result(const Packet& frame, const UpdateHeader& h, const AggregationGroup& group, Tick now);
  void send_result(unsigned port, const UpdateHeader& h, const std::byte* values, unsigned bytes, bool with_data,
                   Tick ready);
  void forward(Packet* frame, Tick now);
  const std::int32_t* aligned_values(const Packet& frame);

  TofinoSwitchConfig config_;
  EthernetLinks& links_;
  PacketPool& pool_;
  PoolPort& slots_;
  AggregatorPort& aggregators_;
  PassScheduler passes_;
  std::vector<AggregationGroup> groups_;
  std::vector<int> port_of_;   // by station, -1: none
  std::vector<Event> events_;  // a heap, the earliest in front
  std::uint64_t arrivals_ = 0;
  std::vector<std::int32_t> scratch_;
  Counters counters_;
  SignalProbe waited_, damaged_, refused_, marked_;
};

}  // namespace tributary
