#pragma once
/// TofinoSwitchCore: a programmable switch that adds the values that workers of SwitchML, SwitchML-RDMA or ATP send
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
  Tick ecn_delay = never;               ///< queueing time of a port's packets from which on results to it are marked
  std::uint16_t station = 0;            ///< station of the switch
  std::vector<std::uint16_t> stations;  ///< by port: station of the host
};

/// Ports of a job. SwitchML supports one job at a time.
struct AggregationGroup {
  std::uint16_t job = 0;
  std::vector<unsigned> workers;  ///< ports, by rank; at most 64
  unsigned server = 0;            ///< ATP: port of the server
};

/// A frame uses its port's bandwidth in a pipeline for each of its passages. Then its values are read, and it is added,
/// answered or forwarded. Frames are processed in order of (end of the passage, port). Damaged frames are dropped there.
/// Output queues are unlimited; windows and passages bound the traffic. A frame is admitted to its port's queue the latency
/// of a passage after its head, as the switch knows all arrivals up to then in every mode.
class TofinoSwitchCore {
 public:
  struct Counters {
    std::uint64_t updates = 0, results = 0, to_server = 0, forwarded = 0;
    std::uint64_t damaged = 0, refused = 0, marked = 0;
    std::uint64_t passages = 0, passage_bytes = 0;  ///< frames through pipelines, and their bytes
    std::uint64_t register_accesses = 0;            ///< values that update registers
    std::uint64_t added_elements = 0;  ///< operands in the sums that leave the switch, without the first of each
  };

  /// Throws std::invalid_argument as PassScheduler does, and if the number of stations is not that of the ports.
  TofinoSwitchCore(const TofinoSwitchConfig& config, EthernetLinks& links, PacketPool& pool, PoolPort& slots,
                   AggregatorPort& aggregators);

  /// Initialises jobs. Throws std::invalid_argument if a port is unknown, if there are too many workers, or two jobs of
  /// SwitchML.
  void begin(std::vector<AggregationGroup> groups);

  /// A frame arrives; takes ownership of one reference.
  void accept(unsigned port, Packet* frame, Tick head, Tick tail);
  /// Processes all events up to `horizon`. Returns the time of the next event.
  Tick run(Tick horizon, bool safe_times);

  const PassScheduler& passes() const { return passes_; }
  const Counters& counters() const { return counters_; }
  std::vector<std::string> waiting() const;
  void reset();
  /// Adds the probes `prefix`passes.waited, `prefix`damaged, .refused, .marked.
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  struct Event {
    Tick when;
    std::uint64_t order;  // admissions before ends of passages, then port, then arrival
    Packet* frame;
    Tick tail;  // only of admissions
    bool operator>(const Event& e) const { return when != e.when ? when > e.when : order > e.order; }
  };
  void schedule(const Event& event);
  void admit(const Event& arrival);
  const AggregationGroup* group_of(const UpdateHeader& h) const;
  void process(Packet* frame, unsigned port, Tick now);
  void update_pool(const Packet& frame, const UpdateHeader& h, const AggregationGroup& group, Tick now);
  bool update_aggregators(Packet* frame, const UpdateHeader& h, const AggregationGroup& group, Tick now);
  void pass_result(const Packet& frame, const UpdateHeader& h, const AggregationGroup& group, Tick now);
  void send_result(unsigned port, const UpdateHeader& h, const std::byte* values, unsigned bytes, bool with_data,
                   Tick ready);
  void forward(Packet* frame, Tick now);
  void count_sum(unsigned values, bool stored, std::size_t operands);
  const std::int32_t* aligned_values(const Packet& frame);

  TofinoSwitchConfig config_;
  EthernetLinks& links_;
  PacketPool& pool_;
  PoolPort& slots_;
  AggregatorPort& aggregators_;
  PassScheduler passes_;
  std::vector<AggregationGroup> groups_;
  std::vector<int> port_of_;   // by station; -1: none
  std::vector<Event> events_;  // heap with the earliest event at the front
  std::uint64_t arrivals_ = 0;
  std::vector<std::int32_t> scratch_;
  Counters counters_;
  SignalProbe waited_, damaged_, refused_, marked_;
};

}  // namespace tributary
