#pragma once
/// EgressStage: state of a port's egress stage: operands queue before it and pass at line rate, one at a time.

#include <algorithm>
#include <cstdint>

#include "modules/base/host/pooled_queue.h"
#include "modules/base/host/ring_queue.h"
#include "modules/base/late_answers.h"
#include "modules/base/probe.h"
#include "modules/link/core/serializer.h"
#include "modules/nvswitch/core/forwarding.h"
#include "modules/protocol/nvlink.h"

namespace tributary {

struct EgressStage {
  struct Operand {
    Packet* packet;
    Tick tail;  ///< time at which its last flit has crossed the crossbar
    std::uint8_t flits, vc;
  };
  /// A packet that leaves the stage later than its operand, with the room that is reserved for it.
  struct Late {
    Tick due;  ///< never: its answer follows
    Packet* packet;
    Tick tail_after;  ///< its last flit leaves that much later
    std::uint8_t flits, vc;
    Exit exit;  ///< stage: to the replication buffer; stage_and_link: to the output queue
    bool frees_entry;
    Ticket ticket = 0;     ///< names an answer that follows
    Tick after = 0;        ///< it leaves that much after the time of its answer
    bool settled = false;  ///< no packet before it leaves later
  };
  EgressStage(Bandwidth rate, ChunkStock& stock) : consumed(stock), passing(stock), line(rate, NvLink::flit_bytes) {}

  /// `consumed`: packets that end in the stage (it may emit, and so wait for the replication buffer). `passing`: packets
  /// that continue to the link (they have room reserved in the output queue and never wait).
  PooledQueue<Operand> consumed, passing;
  unsigned consumed_flits = 0;
  Serializer line;
  Packet *to_link = nullptr, *to_inject = nullptr;  ///< delivered at the end of the present service
  bool frees_entry = false;                         ///< an entry is freed at the end of the present service
  bool event_pending = false;                       ///< at line.free_at()
  bool reserved = false;  ///< room for one packet is reserved in the replication buffer, for the operand in service
  bool stalled = false;   ///< the replication buffer has no room for a packet that the stage might emit
  bool timer_armed = false;
  bool has_late = false;
  SignalProbe queue_probe, stall_probe;
  RingQueue<Late> late;            ///< in the order in which they leave
  Tick late_until = 0;             ///< time at which the last of them leaves whose time is known
  unsigned unknown = 0;            ///< packets in `late` whose answers follow
  LateAnswers* answers = nullptr;  ///< null: the table answers within the call

  /// An answer has arrived. Packets leave in their order.
  void answered(Ticket ticket, Tick when) {
    --unknown;
    for (std::uint32_t i = 0; i < late.size(); ++i)
      if (late[i].due == never && late[i].ticket == ticket) late[i].due = when + late[i].after;
    for (std::uint32_t i = 0; i < late.size() && late[i].due != never; ++i)
      if (!late[i].settled) settle(late[i]);
  }
  void settle(Late& packet) {
    packet.due = late_until = std::max(packet.due, late_until);
    packet.settled = true;
  }
  /// Returns the next time at which a packet leaves or the table has an edge.
  Tick next_late() const {
    const Tick leaves = has_late ? late.front().due : never;
    return answers == nullptr ? leaves : std::min(leaves, answers->next());
  }

  bool delivers() const { return to_link != nullptr || to_inject != nullptr || frees_entry; }
  bool idle() const { return consumed.empty() && passing.empty() && !event_pending; }
  void reset() {
    for (PooledQueue<Operand>* q : {&consumed, &passing})
      for (; !q->empty(); q->pop()) q->front().packet->release();
    for (Packet* p : {to_link, to_inject})
      if (p != nullptr) p->release();
    to_link = to_inject = nullptr;
    for (; !late.empty(); late.pop()) late.front().packet->release();
    consumed_flits = 0;
    line.reset();
    late_until = 0;
    unknown = 0;
    event_pending = frees_entry = reserved = stalled = timer_armed = has_late = false;
  }
};

}  // namespace tributary
