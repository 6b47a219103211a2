#pragma once
/// What an NVSwitch does with a packet: unicast and multicast routing, and the rules of its reduction tables.

#include <cstdint>
#include <deque>
#include <vector>

#include "modules/nvswitch/core/ack_table.h"
#include "modules/nvswitch/core/forwarding.h"
#include "modules/nvswitch/core/multicast_table.h"
#include "modules/nvswitch/core/table_transaction.h"
#include "modules/nvswitch/nvswitch_params.h"
#include "modules/protocol/nvlink.h"
#include "modules/switching/core/route_table.h"

namespace tributary {

/// The reduction table of one port, wherever it is.
class TableAccess {
 public:
  virtual ~TableAccess() = default;
  /// Returns what the table adds to the service time of the packet, beyond its flits at line rate.
  virtual Tick access(TableTransaction& t) = 0;
};

/// Push: operands end at the home port's table; results are multicast from there to all members, partial sums go to the
/// block's home GPU or are multicast too, all on the response VC (docs/systems/klenk.md#virtual-channel-of-push-results).
/// Pull: a request takes an entry at the table of the port it came in by: at its first hop it must, further on it may;
/// responses to it meet that table on their way out. Acks, if merged, do the same: a multicast takes an entry at the ack
/// table of the port it came in by, if there is one, and its acks meet that table on their way back to the writer
/// (docs/systems/klenk.md#acknowledgements).
class NvForwarding : public Forwarding {
 public:
  struct Config {
    unsigned index_in_plane = 0;
    std::uint64_t endpoint_ports = 0;  ///< a bit per port that leads to a GPU: first hop of its requests
    PushResultVc push_result_vc = PushResultVc::response;
    EvictionTarget eviction = EvictionTarget::home_gpu;
    bool merge_acks = false;  ///< of what the tables multicast; GPUs say so of theirs in the header
    unsigned ports = 16;
    unsigned ack_entries = 0;  ///< of the ack table of each port
  };
  /// `tables`: by port.
  NvForwarding(const Config& config, const RouteTable& routes, const MulticastTable& regions,
               std::vector<TableAccess*> tables);

  RouteDecision route(unsigned in_port, const Packet& packet) override;
  bool claim(unsigned in_port, const Packet& packet, Tick now) override;
  RouteDecision route_injected(unsigned port, const Packet& packet) override;
  StageOutcome operate(unsigned port, Packet* packet, Tick start, Tick end) override;
  void finish(unsigned port, Tick now) override;
  Tick next_timeout(unsigned port) const override { return next_timeout_[port]; }
  /// Throws std::logic_error on a table that wants to evict by now, and evicts nothing.
  Packet* expire(unsigned port, Tick now) override;
  void reset();
  /// The table of a port that merges acks; there is none unless acks are merged.
  std::deque<AckTable>& ack_tables() { return ack_tables_; }
  const std::deque<AckTable>& ack_tables() const { return ack_tables_; }

  /// An operand has reached a table that takes it.
  PacketProbe absorbed;

 private:
  StageOutcome push(unsigned port, Packet* packet, Tick start);
  StageOutcome collect(unsigned port, Packet* packet, Tick start);
  StageOutcome merge_ack(unsigned port, Packet* packet, Tick start);
  bool claim_acks(unsigned in_port, const NvHeader& h, Tick now);
  void make_result(Packet& packet, unsigned count, Tick now) const;
  void make_partial(Packet& packet, unsigned count, Tick now) const;
  Tick access(unsigned port, TableTransaction& t);

  Config config_;
  const RouteTable& routes_;
  const MulticastTable& regions_;
  std::vector<TableAccess*> tables_;
  std::deque<AckTable> ack_tables_;  // by port
  std::vector<Tick> next_timeout_;
};

/// Member of a region that accumulates the partial sums of a block (docs/systems/klenk.md#home-gpu): a hash, so that the
/// load spreads.
unsigned home_gpu_index(std::uint64_t address, std::size_t members);

}  // namespace tributary
