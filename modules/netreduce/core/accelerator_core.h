#pragma once
/// AcceleratorCore: the FPGA at a switch: order and times in which its parts process a frame (Liu et al., 4, Fig. 8).

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/ethernet/core/ethernet_links.h"
#include "modules/netreduce/accelerator_params.h"
#include "modules/netreduce/core/accelerator_clock.h"
#include "modules/netreduce/core/accelerator_memory.h"
#include "modules/netreduce/core/accelerator_parts.h"
#include "modules/netreduce/core/combinator.h"
#include "modules/netreduce/core/ct_table.h"
#include "modules/netreduce/core/finite_buffers.h"
#include "modules/netreduce/core/frame_output.h"
#include "modules/netreduce/core/late_events.h"
#include "modules/netreduce/core/packet_lookup.h"
#include "modules/netreduce/core/parser_core.h"
#include "modules/netreduce/core/slot_commit.h"
#include "modules/netreduce/core/slot_observer.h"
#include "modules/netreduce/core/slot_pool.h"
#include "modules/netreduce/core/slot_storage.h"
#include "modules/netreduce/core/sum_stage.h"
#include "modules/netreduce/core/timed_part.h"
#include "modules/netreduce/core/tree_sends.h"
#include "modules/timing/core/event_slots.h"

namespace tributary {

/// A frame streams through MAC, parser and connection lookup. It takes effect when its last bit has arrived and its
/// checksums are right. A slot that it completes goes through the combinator, and each rank gets a result with its own
/// header. Times are whole cycles from the first clock edge after the end of the frame; parts of the user's may add to them.
class AcceleratorCore : private FiniteBuffers::Owner,
                        private FrameOutput,
                        private SumStage::Listener,
                        private PacketLookup::Listener,
                        private TreeSends::Listener {
 public:
  static constexpr unsigned parser_cycles = 4, commit_cycles = 2;
  static constexpr unsigned max_ports = FiniteBuffers::max_ports;

  using Pausing = AcceleratorPausing;
  struct Config {
    AcceleratorParams params;
    AggregationParams rules;
    bool with_data = true;
    std::optional<Pausing> pausing = {};  ///< used if the input FIFOs are finite
    bool shares = false;                  ///< rings that need more memory than there is share their slots in time
  };
  struct Parts {
    PartPort<IcrcTransaction>& icrc;
    PartPort<ClTransaction>& connections;
    PartPort<SlotTransaction>& slots;
    PartPort<CtTransaction>& translations;
    PartPort<HeaderTransaction>& headers;
    PayloadPort& payloads;
    PartPort<CombineTransaction>& combinator;
    LateAnswers* answers = nullptr;     ///< late answers of the combinator; null: none
    LateAnswers* lookups = nullptr;     ///< those of the connection lookup table
    LateAnswers* accesses = nullptr;    ///< those of the payload buffer
    LateAnswers* translated = nullptr;  ///< those of the connection translation table
    Tick translated_ahead = 0;          ///< TranslationQueue::offer()
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
  /// Returns the work of the payload buffer and the adders since begin().
  const SlotStorage::Use& payload_use() const { return storage_.use(); }

  /// Accepts a frame from the link of `port`, and takes ownership of one reference. Call in order of time for each port.
  void accept(unsigned port, Packet* frame, Tick head, Tick tail);
  /// Processes all events up to and including `horizon`. Returns the time of the next event, without those of the links.
  Tick run_until(Tick horizon);
  /// Returns the time of the next event of parts that answer later, if it is known; `never` otherwise.
  Tick next_answer() const { return late_.used() ? late_.next() : never; }
  /// A frame leaves by `port`. Call for each one, in the order of their departures.
  void sent(unsigned port, const EthernetLinks::Sent& s) {
    if (buffers_ != nullptr) buffers_->sent(port, s);
  }
  /// Buffers with a limit, or null: a parameter sets a FIFO, a queue or a number of lookups.
  const InputFifos* input_fifos() const { return buffers_ != nullptr ? &buffers_->inputs() : nullptr; }
  const OutputQueues* output_queues() const { return buffers_ != nullptr ? &buffers_->outputs() : nullptr; }

  /// Slots that the rings share in time, or null: there is memory for all of them, or sharing is off.
  const SlotPool* pool() const { return slot_pool_.get(); }

  std::vector<std::string> waiting() const;
  /// Releases all frames, and forgets all rings. The modules of the parts reset the parts.
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  struct Arrival {
    Tick when;
    Packet* frame;
  };
  /// A frame that the ICRC unit has checked, with the time of its answer.
  struct Checked {
    Tick when;
    Packet* frame;
    unsigned port, damage;
  };
  /// A frame that may leave from `ready` on. `order`: number of the commit or event that caused it.
  struct Held {
    Tick ready, tail;
    std::uint64_t order;
    Packet* frame;
    unsigned port, traffic_class;
  };

  Tick process_until(Tick last);

  // input path of a frame
  Tick edge(Tick t) const { return clock_.edge(t); }
  Tick cycles(unsigned n) const { return clock_.cycles(n); }
  void process(unsigned port, const Arrival& a);
  void handle(unsigned port, const Arrival& a, unsigned damage);
  void take_notification(const Arrival& a);
  void take_result(const Arrival& a);
  void pass_down(Packet* result, unsigned ring, std::uint32_t slot, const TreeSends::Targets& targets, Tick now);
  void result_translated(Packet* result, unsigned ring, std::uint32_t slot, const TreeSends::Targets& targets,
                         Tick requested, Tick now) override;
  void later(const Arrival& a, const PacketLookup::Place& place);
  void looked_up(Packet* frame, Tick arrived, const PacketLookup::Place& place) override { later({arrived, frame}, place); }
  void commit(const SlotCommit& c);
  bool admitted(const SlotCommit& c);
  void drop(Packet* frame, SignalProbe& probe, Tick when, const char* why = "dropped: it belongs to no ring here");
  void clear();

  // FiniteBuffers::Owner
  void process(unsigned port, Packet* frame, Tick now) override { process(port, {now, frame}); }
  void overflow(Packet* frame, Tick now) override;
  void send_pause(unsigned port, unsigned quanta, Tick now) override;
  bool is_current(const SlotCommit& c) override;
  void send_sum(const SlotCommit& c, const StateRecord::Verdict& v) override;

  // sums and their output path
  SlotTransaction look_up_slot(unsigned ring, std::uint32_t message, std::uint32_t offset, Tick now);
  void show_added(const SlotCommit& c, const StateRecord::Verdict& v, Tick value_at);
  void add_and_emit(const SlotCommit& c, const StateRecord::Verdict& v);
  void late_sum(const SlotCommit& c, const StateRecord::Verdict& v, Tick value_at, bool added) override;
  void emit_again(const SlotCommit& c, const StateRecord::Verdict& v);
  void emit(const SlotCommit& c, const StateRecord::Verdict& v, Tick value_at);
  void send_result(const SlotCommit& c, unsigned member, std::uint32_t slot, Tick ready);
  void send(unsigned port, Packet* frame, Tick ready) override;
  bool limits_sums() const { return buffers_ != nullptr && buffers_->limits_sums(); }
  void hold_room(unsigned port, unsigned bytes) override {
    if (limits_sums()) buffers_->hold(port, bytes);
  }
  void release_room(unsigned port, unsigned bytes, Tick now) override {
    if (limits_sums()) buffers_->release(port, bytes, now);
  }
  void keep(const SlotCommit& c, const StateRecord::Verdict& v);
  void push(unsigned port, Packet* frame, unsigned traffic_class, Tick ready, Tick tail);
  void hold(const Held& frame);
  void send_held(Tick now);
  Tick next_held() const { return held_.empty() ? never : held_.front().ready; }

  static constexpr unsigned none = TreeSends::none;

  Config config_;
  AcceleratorClock clock_;
  EthernetLinks& links_;
  PacketPool& pool_;
  std::vector<AggregationRing> configs_;
  TimedPart<IcrcTransaction> icrc_;
  TimedPart<SlotTransaction> slots_;
  SlotStorage storage_;
  TreeSends tree_;
  PacketLookup lookup_;
  SumStage sums_;
  LateEvents late_;
  EventSlots<6> events_;                      // by port: the first of arrivals_
  std::vector<RingQueue<Arrival>> arrivals_;  // by port
  RingQueue<Checked> checked_;                // frames that the ICRC unit has delayed
  RingQueue<SlotCommit> commits_;             // commits that a part of the user's has delayed
  bool defers_ = false;                       // a part has answered later
  RingQueue<Held> held_;                      // frames of a core that defers, by `ready` and `order`
  std::uint64_t order_ = 0;                   // the latest number
  std::uint64_t late_order_ = 0;              // number of the late sum that leaves; 0: none
  std::unique_ptr<FiniteBuffers> buffers_;    // null without limits
  std::unique_ptr<SlotPool> slot_pool_;       // null unless rings share slots
  SignalProbe frames_in_, bypassed_, dropped_, fcs_errors_, reemissions_, overflows_, refusals_;
  SlotObserver slot_events_;
  PacketFateProbe fate_;
};

}  // namespace tributary
