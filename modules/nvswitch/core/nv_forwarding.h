#pragma once
/// NvForwarding: policy of an NVSwitch: unicast and multicast routing, and the use of its reduction tables.

#include <cstdint>
#include <deque>
#include <vector>

#include "modules/base/late_answers.h"
#include "modules/nvswitch/core/ack_table.h"
#include "modules/nvswitch/core/forwarding.h"
#include "modules/nvswitch/core/multicast_table.h"
#include "modules/nvswitch/core/table_transaction.h"
#include "modules/nvswitch/nvswitch_params.h"
#include "modules/protocol/nvlink.h"
#include "modules/switching/core/route_table.h"
#include "modules/switching/core/switch_router.h"

namespace tributary {

/// Access to the reduction table of one port.
class TableAccess {
 public:
  virtual ~TableAccess() = default;
  /// Returns the time by which what leaves the table is late; `never`: the table answers later.
  virtual Tick access(TableTransaction& t) = 0;
  /// Sets the receiver of the times that follow. Returns the late answers of the table; null: it has none.
  virtual LateAnswers* late_answers(AnswerListener&) { return nullptr; }
};

/// Push: operands end at the home port's table. Results are multicast from there to all members; partial sums go to the
/// block's home GPU or are multicast too; all use the response VC (docs/systems/klenk.md#virtual-channel-of-push-results).
/// Pull: a request allocates an entry at the table of its input port: at the first hop it must, at later hops it may; its
/// responses meet that table at their egress. Merged acks work alike: a multicast allocates an entry, if one is
/// free, at the ack table of its input port, and its acks meet that table on their return path
/// (docs/systems/klenk.md#acknowledgements).
class NvForwarding : public Forwarding {
 public:
  struct Config {
    unsigned index_in_plane = 0;
    WidePortMask endpoint_ports = 0;  ///< a bit per port that leads to a GPU, the first hop of its requests
    PushResultVc push_result_vc = PushResultVc::response;
    EvictionTarget eviction = EvictionTarget::home_gpu;
    bool merge_acks = false;  ///< for multicasts of the tables; GPUs mark theirs in the header
    bool ack_tables = false;  ///< ack tables exist for the multicasts that GPUs mark
    unsigned ports = 16;
    unsigned ack_entries = 0;  ///< entries of the ack table of each port
  };
  /// `tables`: by port. `router`: of a user, or null.
  NvForwarding(const Config& config, const RouteTable& routes, const MulticastTable& regions,
               std::vector<TableAccess*> tables, const RouterSeat* router = nullptr);

  RouteDecision route(unsigned in_port, const Packet& packet) override;
  WideRouteDecision route_wide(unsigned in_port, const Packet& packet) override;
  bool claim(unsigned in_port, const Packet& packet, Tick now) override;
  RouteDecision route_injected(unsigned port, const Packet& packet) override;
  WideRouteDecision route_injected_wide(unsigned port, const Packet& packet) override;
  StageOutcome operate(unsigned port, Packet* packet, Tick start, Tick end) override;
  LateAnswers* late_answers(unsigned port, AnswerListener& listener) override {
    return tables_[port]->late_answers(listener);
  }
  void finish(unsigned port, const Packet* leaving, Tick now) override;
  Tick next_timeout(unsigned port) const override { return next_timeout_[port]; }
  /// Throws std::logic_error if a table must evict by now, but evicts nothing.
  Expired expire(unsigned port, Tick now) override;
  void reset();
  /// Ack tables by port; empty unless acks may be merged.
  std::deque<AckTable>& ack_tables() { return ack_tables_; }
  const std::deque<AckTable>& ack_tables() const { return ack_tables_; }

  /// An operand has reached a table that accepts it.
  PacketProbe absorbed;

 private:
  template <class Mask>
  BasicRouteDecision<Mask> decide(unsigned in_port, const Packet& packet);
  template <class Mask>
  BasicRouteDecision<Mask> decide_injected(unsigned port, const Packet& packet);
  unsigned to_gpu(unsigned input, const NvHeader& h) const {
    const unsigned usual = routes_.to_gpu(h.destination, h.trunk);
    return __builtin_expect(router_ == nullptr, 1) ? usual : choose(input, h, false, h.destination, usual);
  }
  unsigned to_home(unsigned input, const NvHeader& h) const {
    const unsigned usual = routes_.to_switch(h.home_switch, h.trunk);
    return __builtin_expect(router_ == nullptr, 1) ? usual : choose(input, h, true, h.home_switch, usual);
  }
  [[gnu::cold]] unsigned choose(unsigned input, const NvHeader& h, bool to_switch, unsigned destination,
                                unsigned usual) const;
  /// True if a copy of the request returns to its sender, which the switch sees at the first hop alone.
  bool returns(unsigned in_port, const NvHeader& h) const { return h.to_self && has_port(config_.endpoint_ports, in_port); }
  /// Return the outputs of a request to a region, and the number of members that they reach.
  template <class Mask>
  Mask outputs(unsigned in_port, const NvHeader& h) const;
  unsigned operands(unsigned in_port, const NvHeader& h) const;
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
  const RouterSeat* router_;
  std::deque<AckTable> ack_tables_;  // by port
  std::vector<Tick> next_timeout_;
};

/// Returns the index of the member that accumulates the partial sums of a block (docs/systems/klenk.md#home-gpu): a hash,
/// so that the load is spread.
unsigned home_gpu_index(std::uint64_t address, std::size_t members);

}  // namespace tributary
