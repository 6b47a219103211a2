#pragma once
/// AcceleratorCore: the FPGA at a switch: order and times in which its parts process a frame (Liu et al., 4, Fig. 8).

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/ethernet/core/ethernet_links.h"
#include "modules/netreduce/accelerator_params.h"
#include "modules/netreduce/core/accelerator_parts.h"
#include "modules/netreduce/core/combinator.h"
#include "modules/netreduce/core/ct_table.h"
#include "modules/netreduce/core/input_fifos.h"
#include "modules/netreduce/core/leaf_translation.h"
#include "modules/netreduce/core/output_queues.h"
#include "modules/netreduce/core/parser_core.h"
#include "modules/netreduce/core/slot_event.h"
#include "modules/timing/core/event_slots.h"

namespace tributary {

/// Bytes of the buffers of an accelerator.
struct AcceleratorMemory {
  std::uint64_t payload = 0, headers = 0, state = 0, value = 0;  ///< slots of rings
  std::uint64_t queues = 0;                                      ///< finite FIFOs and queues of ports
  std::uint64_t bytes() const { return payload + headers + state + value + queues; }
  AcceleratorMemory& operator+=(const AcceleratorMemory& m);
  /// Returns the needs of a ring.
  static AcceleratorMemory of(const AggregationRing& ring, const AggregationParams& rules, SlotValue value);
  static AcceleratorMemory of_queues(const AcceleratorParams& params, unsigned ports);
};

/// A frame streams through MAC, parser and connection lookup. It takes effect when its last bit has arrived and its
/// checksums are right. A slot that it completes goes through the combinator, and each rank gets a result with its own
/// header. Times are whole cycles from the first clock edge after the end of the frame; parts of the user's may add to them.
class AcceleratorCore {
 public:
  static constexpr unsigned parser_cycles = 4, commit_cycles = 2, read_cycles = 1;
  static constexpr unsigned max_ports = 64;

  /// Pauses of the senders at the other ends of the links (priority flow control).
  struct Pausing {
    std::uint64_t headroom = 0, resume = 0;  ///< bytes of an input FIFO
    std::vector<Tick> quantum = {};          ///< by port
  };
  struct Config {
    AcceleratorParams params;
    AggregationParams rules;
    bool with_data = true;
    std::optional<Pausing> pausing = {};  ///< used if the input FIFOs are finite
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

  /// Throws std::invalid_argument if `links` has more than 64 ports.
  AcceleratorCore(const Config& config, const Parts& parts, EthernetLinks& links, PacketPool& pool);

  /// Returns the least time from the arrival of a frame's head to its first effect.
  static Tick delay(const AcceleratorParams& p) {
    return (p.mac_cycles + parser_cycles + p.lookup_cycles + commit_cycles) * p.clock.value;
  }

  /// Initialises jobs, on an accelerator that has been reset. Throws std::invalid_argument if two rings have the same
  /// number, if a port or rank does not exist, or if the rings need more memory than the accelerator has. The clock has an
  /// edge at `now`, so that a run does not depend on earlier runs.
  void begin(std::vector<AggregationRing> rings, bool with_data, Tick now = 0);
  const std::vector<AggregationRing>& rings() const { return configs_; }
  AcceleratorMemory memory() const;

  /// Accepts a frame from the link of `port`, and takes ownership of one reference. Call in order of time for each port.
  void accept(unsigned port, Packet* frame, Tick head, Tick tail);
  /// Processes all events up to and including `horizon`. Returns the time of the next event, without those of the links.
  Tick run_until(Tick horizon);
  /// A frame leaves by `port`. Call for each one, in the order of their departures.
  void sent(unsigned port, const EthernetLinks::Sent& s) {
    if (buffers_ != nullptr) buffers_->outputs.leave(port, s.packet->wire_bytes, s.head - links_[port].head_latency());
  }
  /// Buffers with a limit, or null: a parameter sets a FIFO, a queue or a number of lookups.
  const InputFifos* input_fifos() const { return buffers_ != nullptr ? &buffers_->inputs : nullptr; }
  const OutputQueues* output_queues() const { return buffers_ != nullptr ? &buffers_->outputs : nullptr; }

  std::vector<std::string> waiting() const;
  /// Releases all frames, and forgets all rings. The modules of the parts reset the parts.
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  struct Arrival {
    Tick when;
    Packet* frame;
  };
  /// A frame whose slot has been found.
  struct Commit {
    Tick when;
    Packet* frame;
    std::uint32_t message, offset;
    std::uint16_t ring, member;
    bool again = false;  // the slot was already full
  };
  struct Slot {
    Tick operands_at = 0;  // all operands are in the payload buffer
    Tick value_at = 0;     // first beat of the sum leaves the adders
    // with finite output queues:
    std::uint32_t requested_message = 0;
    std::uint64_t requested = 0;  // members whose sum of that message is requested, and has no room yet
  };
  /// A sum that waits for room in the output queues.
  struct Request {
    Commit commit;
    StateRecord::Verdict verdict;
  };
  struct Buffers {
    Buffers(unsigned ports, const Config& config);
    InputFifos inputs;
    OutputQueues outputs;
    std::vector<RingQueue<Request>> requests{};  // by unit of the combinator
    EventSlots<6> held{};                        // by port: its first frame may be taken
    EventSlots<7> changes{};                     // by port: its output queue gets room; then of requests that are due
    std::uint64_t blocked = 0;                   // bit mask of ports whose first frame waits for room
  };
  /// State of a ring.
  struct RingState {
    std::uint32_t first_row = 0;  // row in the header buffer
    std::uint64_t payload_base = 0;
    std::vector<Slot> slots;
    Tick latest_value = 0;  // latest `value_at` of all slots
    std::vector<std::byte> values;
    LeafTranslation translation;
    std::unordered_map<std::uint64_t, unsigned> member_of;  // by connection
  };

  // input path of a frame
  Tick edge(Tick t) const { return (t - phase_ + clock_ - 1) / clock_ * clock_ + phase_; }
  Tick cycles(unsigned n) const { return n * clock_; }
  void process(unsigned port, const Arrival& a);
  void look_up_gradient(const Arrival& a);
  void find_aggregate(const Arrival& a);
  void later(const Arrival& a, Tick extra, unsigned ring, unsigned member, std::uint32_t message, std::uint32_t offset);
  void commit(const Commit& c);
  void store(const Commit& c, std::uint32_t slot);
  void drop(Packet* frame, SignalProbe& probe, Tick when, const char* why = "dropped: it belongs to no ring here");
  unsigned ring_of(std::uint16_t number) const;

  // finite buffers
  void arrive(unsigned port, const Arrival& a);
  void serve(unsigned port, Tick now);
  bool has_room(unsigned port, std::uint64_t bytes, Tick now);
  bool has_room_for(unsigned port, const Packet& frame, Tick now);
  bool has_room_for(const Request& request, Tick now);
  void request(const Commit& c, const StateRecord::Verdict& v);
  void serve_requests(unsigned unit, Tick now);
  bool is_current(const Commit& c);
  Tick next_of_buffers() const;
  void run_buffers(Tick now);
  void send_pause(unsigned port, unsigned quanta, Tick now);
  std::uint64_t members_of(const Request& request) const;
  unsigned largest_frame(const AggregationRing& ring) const;

  // sums and their output path
  void send_sum(const Commit& c, const StateRecord::Verdict& v);
  void combine(const Commit& c, std::uint32_t slot);
  void emit_again(const Commit& c, const StateRecord::Verdict& v);
  void emit(const Commit& c, const StateRecord::Verdict& v, Tick value_at);
  void send_result(unsigned ring, unsigned member, std::uint32_t slot, std::uint32_t offset, Tick ready,
                   const std::byte* sum);
  void copy_header_bytes(unsigned ring, std::uint32_t slot, unsigned member, std::byte* to);
  void push(unsigned port, Packet* frame, Tick ready);
  void push(unsigned port, Packet* frame, unsigned traffic_class, Tick ready, Tick tail);
  Packet* frame_of(FrameKind kind, unsigned payload_bytes, const std::byte* sum, unsigned skip, Tick born);
  const std::byte* sum_of(unsigned ring, std::uint32_t slot) const;
  std::uint32_t row(unsigned ring, std::uint32_t slot, unsigned member) const {
    return states_[ring].first_row + slot * configs_[ring].ranks() + member;
  }
  std::uint64_t address(unsigned ring, std::uint32_t slot, unsigned member) const {
    return states_[ring].payload_base + std::uint64_t{slot * configs_[ring].ranks() + member} * configs_[ring].mtu;
  }
  /// Returns the number of bytes before the elements in that packet of a message.
  static unsigned header_bytes(std::uint32_t offset) { return offset == 0 ? AggregationHeader::bytes : 0; }

  // observation
  void show(SlotEvent::Kind kind, const Commit& c, std::uint32_t slot, std::uint64_t bitmap, Tick when);

  // tree of accelerators
  void preset(unsigned ring, Tick now);
  void learn(const Commit& c);
  void send_notification(unsigned ring, const Packet& first, Tick now);
  void take_notification(const Arrival& a);
  void take_result(const Arrival& a);
  void send_down(unsigned ring, const CtTarget& target, const Packet& result, std::uint32_t slot, Tick ready);
  void send_sums(const Commit& c, std::uint32_t slot, Tick ready, const std::byte* sum);
  unsigned port_to(unsigned ring, const ConnectionKey& to) const;

  static constexpr unsigned none = ~0u;
  static constexpr unsigned requests_due = max_ports;  // in Buffers::changes

  Config config_;
  Tick clock_;
  Tick phase_ = 0;  // offset of its edges, less than a cycle
  Parts parts_;
  EthernetLinks& links_;
  PacketPool& pool_;
  std::vector<AggregationRing> configs_;
  std::vector<RingState> states_;
  EventSlots<6> events_;                      // by port: the first of arrivals_
  std::vector<RingQueue<Arrival>> arrivals_;  // by port
  RingQueue<Commit> commits_;                 // commits that a part of the user's has delayed
  std::unique_ptr<Buffers> buffers_;          // null without limits
  std::vector<const std::byte*> operands_;    // operands of the slot that is being added
  std::vector<std::byte> operand_bytes_;
  std::vector<ConnectionKey> targets_;  // targets of the sum that is being sent
  SignalProbe frames_in_, bypassed_, dropped_, fcs_errors_, reemissions_, ctt_misses_, overflows_;
  SlotProbe slot_events_;
  PacketFateProbe fate_;
};

}  // namespace tributary
