#pragma once
/// BlockHub: copies of streams and channels on their way to the links of a GPU of an NVSwitch machine, as blocks.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/gpu/core/copy_order.h"
#include "modules/gpu/core/engine_seat.h"
#include "modules/streams/core/burst_cutter.h"
#include "modules/streams/core/copy_hub.h"

namespace tributary {

/// A copy has one lane, the GPU. Its blocks are writes that go by the link of their plane, at the pace of all links together;
/// copies whose bursts may leave take turns block by block. A copy has left when its last block has been handed to its link
/// and the pace lets the next one follow. Where writes are acknowledged, a record is a flag that is sent when the acks of
/// all blocks before it in its stream are back; without, the flag says how many these are, and its receiver counts them.
class BlockHub final : public CopyHub {
 public:
  /// A burst is up to so many packets of 128 B.
  BlockHub(EngineSeat seat, std::uint32_t burst);

  /// A program from now on; it stands until the next one. Nothing is under way.
  void begin(const StreamWork& work);

  // CopyHub
  std::uint32_t ports_to(std::uint16_t peer, CopyPath path) const override;
  void open(CopyCommand& command, BurstSource& source) override;
  void push(const Burst& burst, Tick ready) override;
  void close(std::uint32_t copy) override;
  void tell(std::uint16_t peer, CopyPath path, std::uint16_t stream, std::uint32_t semaphore, Tick ready) override;

  // what comes
  /// The ack of a block.
  void acknowledged(const NvHeader& ack, Tick now);
  /// A flag of a peer, or one of its blocks: calls `add(semaphore)` when all before the record has come.
  template <class Add>
  void flag_arrived(const Packet& flag, Add add);
  template <class Add>
  void block_arrived(const NvHeader& block, Add add);

  /// Of its next event: a copy has left, or a burst may leave.
  Tick next() const { return std::min(ends_.empty() ? never : ends_.front().when, ready_at_); }
  /// Calls left() of all that has left at `now`, and offers what may leave.
  void handle(Tick now);
  /// GpuEngine::issue().
  bool issue(Tick now);

  std::uint64_t copied_bytes() const { return copied_bytes_; }
  std::vector<std::string> waiting() const;
  void reset();

 private:
  struct Held {
    Tick ready;
    Burst burst;
  };
  struct Copy {
    CopyCommand command;
    BurstSource* source = nullptr;
    std::uint64_t network = 0;  // address of the destination
    std::uint16_t order = 0;    // number of its order
    unsigned held = 0;
    std::array<Held, bursts_ahead> bursts;
    bool issues = false;     // blocks of `current` are to be issued
    Burst current{};
    std::uint32_t done = 0;  // bytes of it that have been
  };
  struct End {
    Tick when;
    std::uint32_t copy;
  };
  /// Sender's side of a CopyOrder.
  struct Sent {
    std::uint16_t peer = 0, stream = 0, turn = 0;
    std::uint64_t blocks = 0;  // of the turn
    CopyOrder acks{};
  };
  /// What the flit of a flag says.
  struct Flag {
    std::uint32_t semaphore = 0;
    std::uint64_t blocks = 0;
  };
  static_assert(sizeof(Flag) == NvLink::flit_bytes);
  using Key = std::pair<std::uint16_t, std::uint16_t>;  // peer and stream, source and number

  bool may_issue(const Copy& c, Tick now) const { return c.issues || (c.held != 0 && c.bursts[0].ready <= now); }
  void begin_burst(Copy& c);
  void send_block(Copy& c, const EngineSeat::Place& place, unsigned length, Tick now);
  void send_flag(std::uint16_t peer, std::uint16_t order, std::uint16_t turn, const Flag& content, Tick ready);
  std::uint16_t order_of(std::uint16_t peer, std::uint16_t stream);
  void offer(Tick now);

  EngineSeat seat_;
  CopyFraming framing_;
  Tick block_time_;
  const StreamWork* work_ = nullptr;
  std::vector<Copy> copies_;
  std::vector<std::uint32_t> free_copies_;
  std::vector<std::uint32_t> users_;  // copies that are open, the next to be served first
  RingQueue<End> ends_;               // by time
  Tick ready_at_ = never;             // a burst that waits for its time
  std::vector<Sent> sent_;            // by number of the order
  std::map<Key, std::uint16_t> numbers_;
  std::map<Key, CopyOrder> arrived_;  // of others, where there are no acks
  std::uint64_t copied_bytes_ = 0;
};

template <class Add>
void BlockHub::block_arrived(const NvHeader& block, Add add) {
  if (!seat_.config().acks) arrived_[{block.source, block.slot}].counted(block.count, add);
}

template <class Add>
void BlockHub::flag_arrived(const Packet& packet, Add add) {
  const NvHeader& h = nv(packet);
  Flag flag;
  std::memcpy(&flag, packet.payload, sizeof flag);
  if (h.slot == CopyOrder::none) return add(flag.semaphore);
  arrived_[{h.source, h.slot}].told(h.count, flag.blocks, flag.semaphore, add);
}

}  // namespace tributary
