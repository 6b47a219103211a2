#pragma once
/// FiniteBuffers: frames of an accelerator that wait in input FIFOs, and sums that wait in their slots for room in output
/// queues (docs/blocks/accelerator.md#buffers).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/ethernet/core/ethernet_links.h"
#include "modules/netreduce/accelerator_params.h"
#include "modules/netreduce/core/accelerator_clock.h"
#include "modules/netreduce/core/aggregation_ring.h"
#include "modules/netreduce/core/input_fifos.h"
#include "modules/netreduce/core/output_queues.h"
#include "modules/netreduce/core/slot_commit.h"
#include "modules/netreduce/core/state_record.h"
#include "modules/timing/core/event_slots.h"

namespace tributary {

/// Pauses of the senders at the other ends of an accelerator's links (priority flow control).
struct AcceleratorPausing {
  std::uint64_t headroom = 0, resume = 0;  ///< bytes of an input FIFO
  std::vector<Tick> quantum = {};          ///< by port
};

/// Sums that wait have priority over frames that wait. The owner is called with the instant of the event.
class FiniteBuffers {
 public:
  static constexpr unsigned max_ports = 64;

  class Owner {
   public:
    virtual ~Owner() = default;
    /// The frame has left its FIFO, and is processed.
    virtual void process(unsigned port, Packet* frame, Tick now) = 0;
    /// The FIFO has no room for the frame.
    virtual void overflow(Packet* frame, Tick now) = 0;
    virtual void send_pause(unsigned port, unsigned quanta, Tick now) = 0;
    /// True if the slot still belongs to the message of the commit, and is full.
    virtual bool is_current(const SlotCommit& c) = 0;
    virtual void send_sum(const SlotCommit& c, const StateRecord::Verdict& v) = 0;
  };

  FiniteBuffers(const AcceleratorParams& params, const std::optional<AcceleratorPausing>& pausing,
                const AcceleratorClock& clock, EthernetLinks& links, Owner& owner);

  /// Begins with these rings, which outlive their stay, and numbers of their slots.
  void begin(const std::vector<AggregationRing>& rings, const std::vector<std::uint32_t>& slots);

  /// A frame has been parsed.
  void arrive(unsigned port, Packet* frame, Tick now);
  /// A frame is queued for departure, from `ready` on.
  void push(unsigned port, const Packet& frame, Tick ready) { outputs_.push(port, frame.wire_bytes, ready); }
  /// A frame of push() has been queued at its link later, at `now`: its departure was not known until then.
  void queued(unsigned port, Tick now) {
    changes_.advance(port, now);
    changes_.advance(requests_due, now);
  }
  /// A frame leaves. Call for each one, in the order of their departures.
  void sent(unsigned port, const EthernetLinks::Sent& s) {
    outputs_.leave(port, s.packet->wire_bytes, s.head - links_[port].head_latency());
  }
  /// A pause of the port has ended at `now`, or begins: a queue that is waited for may get room earlier than was known.
  void paused(unsigned port, unsigned traffic_class, Tick now) {
    if (changes_.at(port) != never)
      changes_.advance(port, clock_.edge(links_[port].next_with_credit(traffic_class, now) + 1));
  }
  /// A frame for which there was room follows: it holds its room until release(), which precedes push().
  void hold(unsigned port, unsigned bytes) { outputs_.hold(port, bytes); }
  void release(unsigned port, unsigned bytes, Tick now) {
    outputs_.release(port, bytes);
    changes_.advance(requests_due, now);  // the departure of a frame was not known until now
  }
  /// The same for all frames of a sum.
  void hold(const SlotCommit& c, const StateRecord::Verdict& v);
  void release(const SlotCommit& c, const StateRecord::Verdict& v, Tick now);
  /// True if sums have to be requested.
  bool limits_sums() const { return outputs_.limited(); }
  /// Requests a sum. A sum that is requested again before it has left leaves once. Takes a reference of the frame.
  void request(const SlotCommit& c, const StateRecord::Verdict& v);

  Tick next() const;
  /// Processes the events at `now`, which is next().
  void run(Tick now);

  const InputFifos& inputs() const { return inputs_; }
  const OutputQueues& outputs() const { return outputs_; }
  std::vector<std::string> waiting() const;
  /// Releases all frames.
  void reset();

 private:
  struct Requested {
    std::uint32_t message = 0;
    std::uint64_t members = 0;  // members whose sum of that message is requested, and has no room yet
  };
  /// A sum that waits for room in the output queues.
  struct Request {
    SlotCommit commit;
    StateRecord::Verdict verdict;
  };
  void serve(unsigned port, Tick now);
  bool has_room(unsigned port, std::uint64_t bytes, Tick now);
  bool has_room_for(const Packet& frame, unsigned port, Tick now);
  bool has_room_for(const Request& request, Tick now);
  void serve_requests(unsigned unit, Tick now);
  template <class Each>
  void for_each_frame(const Request& request, Each&& each) const;
  std::uint64_t members_of(const Request& request) const;
  Requested& requested(const Request& request) { return requested_[request.commit.ring][request.verdict.slot]; }

  static constexpr unsigned requests_due = max_ports;  // in changes_

  std::optional<unsigned> combinators_;
  const AcceleratorClock& clock_;
  EthernetLinks& links_;
  Owner& owner_;
  InputFifos inputs_;
  OutputQueues outputs_;
  const std::vector<AggregationRing>* rings_ = nullptr;
  std::vector<std::vector<Requested>> requested_;  // by ring and slot
  std::vector<RingQueue<Request>> requests_;       // by unit of the combinator
  EventSlots<6> held_;                             // by port: its first frame may be taken
  EventSlots<7> changes_;                          // by port: its output queue gets room; then of requests that are due
  std::uint64_t blocked_ = 0;                      // bit mask of ports whose first frame waits for room
};

}  // namespace tributary
