#pragma once
/// AcceleratorCore: the FPGA beside a switch: in which order its parts handle a frame, and when (Liu et al., 4.2, Fig. 8).

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/timing/core/event_slots.h"
#include "modules/ethernet/core/ethernet_links.h"
#include "modules/netreduce/accelerator_params.h"
#include "modules/netreduce/core/accelerator_parts.h"
#include "modules/netreduce/core/combinator.h"
#include "modules/netreduce/core/ct_table.h"
#include "modules/netreduce/core/parser_core.h"
#include "modules/netreduce/core/slot_event.h"

namespace tributary {

/// Bytes of the buffers that rings need.
struct AcceleratorMemory {
  std::uint64_t payload = 0, headers = 0, state = 0, value = 0;
  std::uint64_t bytes() const { return payload + headers + state + value; }
  static AcceleratorMemory of(const AggregationRing& ring, const AggregationParams& rules, SlotValue value);
};

/// A frame streams through MAC, parser and connection lookup, and counts when its last bit is in and its check sums are
/// right. A slot that it completes goes through the combinator, and a result with its own header to each rank. Times are
/// whole cycles from the next clock edge behind the frame's end; parts of the user's may add to them.
class AcceleratorCore {
 public:
  static constexpr unsigned parser_cycles = 4, commit_cycles = 2, read_cycles = 1;
  static constexpr unsigned max_ports = 64;

  struct Config {
    AcceleratorParams params;
    AggregationParams rules;
    bool with_data = true;
  };
  struct Parts {
    PartPort<IcrcTransaction>& icrc;
    PartPort<ClTransaction>& connections;
    PartPort<SlotTransaction>& slots;
    PartPort<CtTransaction>& translations;
    PartPort<HeaderTransaction>& headers;
    PayloadPort& payloads;
    PartPort<CombineTransaction>& combinator;
  };

  /// Throws std::invalid_argument on more than 64 ports.
  AcceleratorCore(const Config& config, const Parts& parts, EthernetLinks& links, PacketPool& pool);

  /// Nothing that arrives matters sooner after its head.
  static Tick delay(const AcceleratorParams& p) {
    return (p.mac_cycles + parser_cycles + p.lookup_cycles + commit_cycles) * p.clock.value;
  }

  /// Job initialisation, on an accelerator at rest (reset). Throws std::invalid_argument on two rings of one number, a port
  /// or rank that is not there, or more memory than there is.
  /// The clock has an edge at `now`, so that a run is the same whatever has run before.
  void begin(std::vector<AggregationRing> rings, bool with_data, Tick now = 0);
  const std::vector<AggregationRing>& rings() const { return configs_; }
  AcceleratorMemory memory() const;

  /// A frame from the link of `port`; takes over its reference. In order of time for each port.
  void accept(unsigned port, Packet* frame, Tick head, Tick tail);
  /// All up to and including `horizon`; returns the time of the next event, links not included.
  Tick run_until(Tick horizon);

  std::vector<std::string> waiting() const;
  /// Releases what it holds, and forgets all rings. The parts are reset by their modules.
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  struct Arrival {
    Tick when;
    Packet* frame;
  };
  /// A frame whose place has been found.
  struct Commit {
    Tick when;
    Packet* frame;
    std::uint32_t message, offset;
    std::uint16_t ring, member;
    bool again = false;  // to a full slot
  };
  struct Slot {
    Tick operands_at = 0;  // written to the payload buffer
    Tick value_at = 0;     // first beat of the sum out of the adders
  };
  /// What is known of a ring beside its configuration.
  struct RingState {
    std::uint32_t first_row = 0;  // in the header buffer
    std::uint64_t payload_base = 0;
    std::vector<Slot> slots;
    Tick latest_value = 0;  // of all slots
    std::vector<std::byte> values;
    std::vector<bool> learnt;                               // by member
    std::unordered_map<std::uint64_t, unsigned> member_of;  // by connection
  };

  // accelerator_core.cpp: a frame's way in
  Tick edge(Tick t) const { return (t - phase_ + clock_ - 1) / clock_ * clock_ + phase_; }
  Tick cycles(unsigned n) const { return n * clock_; }
  void look(unsigned port, const Arrival& a);
  void look_up_gradient(const Arrival& a);
  void find_aggregate(const Arrival& a);
  void later(const Arrival& a, Tick extra, unsigned ring, unsigned member, std::uint32_t message, std::uint32_t offset);
  void commit(const Commit& c);
  void store(const Commit& c, std::uint32_t slot);
  void drop(Packet* frame, SignalProbe& probe, Tick when, const char* why = "dropped: of no ring here");
  unsigned ring_of(std::uint16_t number) const;

  // accelerator_results.cpp: sums and their way out
  void combine(const Commit& c, std::uint32_t slot);
  void emit_again(const Commit& c, const StateRecord::Verdict& v);
  void emit(const Commit& c, const StateRecord::Verdict& v, Tick value_at);
  void send_result(unsigned ring, unsigned member, std::uint32_t slot, std::uint32_t offset, Tick ready,
                   const std::byte* sum);
  void copy_header_bytes(unsigned ring, std::uint32_t slot, unsigned member, std::byte* to);
  void push(unsigned port, Packet* frame, Tick ready);
  Packet* frame_of(FrameKind kind, unsigned payload_bytes, const std::byte* sum, unsigned skip, Tick born);
  const std::byte* sum_of(unsigned ring, std::uint32_t slot) const;
  std::uint32_t row(unsigned ring, std::uint32_t slot, unsigned member) const {
    return states_[ring].first_row + slot * configs_[ring].ranks() + member;
  }
  std::uint64_t address(unsigned ring, std::uint32_t slot, unsigned member) const {
    return states_[ring].payload_base + std::uint64_t{slot * configs_[ring].ranks() + member} * configs_[ring].mtu;
  }
  /// Bytes before the elements of that packet of a message.
  static unsigned header_bytes(std::uint32_t offset) { return offset == 0 ? AggregationHeader::bytes : 0; }

  // accelerator_shown.cpp
  void show(SlotEvent::Kind kind, const Commit& c, std::uint32_t slot, std::uint64_t bitmap, Tick when);

  // accelerator_tree.cpp
  void preset(unsigned ring, Tick now);
  void learn(const Commit& c);
  void send_notification(unsigned ring, const Packet& first, Tick now);
  void take_notification(const Arrival& a);
  void take_result(const Arrival& a);
  void send_down(unsigned ring, const CtTarget& target, const Packet& result, std::uint32_t slot, Tick ready);
  void send_sums(const Commit& c, std::uint32_t slot, Tick ready, const std::byte* sum);
  unsigned port_to(unsigned ring, const ConnectionKey& to) const;

  static constexpr unsigned none = ~0u;

  Config config_;
  Tick clock_;
  Tick phase_ = 0;  // of its edges: below a cycle
  Parts parts_;
  EthernetLinks& links_;
  PacketPool& pool_;
  std::vector<AggregationRing> configs_;
  std::vector<RingState> states_;
  EventSlots<6> events_;                      // by port: its first arrival
  std::vector<RingQueue<Arrival>> arrivals_;  // by port
  RingQueue<Commit> commits_;                 // that a part of the user's has delayed
  std::vector<const std::byte*> operands_;    // of the slot that is added
  std::vector<std::byte> operand_bytes_;
  std::vector<ConnectionKey> targets_;  // of the sum that leaves
  SignalProbe frames_in_, bypassed_, dropped_, fcs_errors_, reemissions_, ctt_misses_;
  SlotProbe slot_events_;
  PacketFateProbe fate_;
};

}  // namespace tributary
