#pragma once
/// BlockHub: sends copies of streams and channels over the links of a GPU of an NVSwitch machine, as blocks.

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

/// A copy has one lane, the GPU. Its blocks are writes; each uses the link of its plane, and all are paced at the rate of
/// all links together. Copies with ready bursts take turns block by block. A copy has been sent when its last block is
/// passed to its link and the pace permits the next one. If writes are acknowledged, a record is a flag that is sent when
/// the acks of all earlier blocks of its stream have returned; otherwise, and if the data contain flags, the flag carries
/// the number of these blocks, and the receiver counts them.
class BlockHub final : public CopyHub {
 public:
  /// `burst`: maximum burst length in 128 B packets.
  BlockHub(EngineSeat seat, std::uint32_t burst);

  /// Starts a program, which must stay valid until the next one. Nothing may be in flight.
  void begin(const StreamWork& work);

  // CopyHub
  std::uint32_t ports_to(std::uint16_t peer, CopyPath path) const override;
  void open(CopyCommand& command, BurstSource& source) override;
  void push(const Burst& burst, Tick ready, Tick now) override;
  void close(std::uint32_t copy) override;
  void tell(std::uint16_t peer, CopyPath path, std::uint16_t stream, std::uint32_t semaphore, Tick ready) override;

  // Arrivals.
  /// Processes the ack of a block.
  void acknowledged(const NvHeader& ack, Tick now);
  /// Process a flag of a peer, or one of its blocks; call `add(semaphore)` when all blocks before the record have arrived.
  template <class Add>
  void flag_arrived(const Packet& flag, Add add);
  template <class Add>
  void block_arrived(const NvHeader& block, Add add);

  /// Returns the time of the next event: a copy has been sent, or a burst may leave.
  Tick next() const { return std::min(ends_.empty() ? never : ends_.front().when, ready_at_); }
  /// Calls left() for each copy sent by `now`, and offers ready bursts.
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
    std::uint64_t network = 0;  // network address of the destination
    std::uint16_t order = 0;    // index of its CopyOrder
    unsigned held = 0;
    std::array<Held, bursts_ahead> bursts;
    bool issues = false;  // blocks of `current` are being issued
    Burst current{};
    std::uint32_t done = 0;  // bytes of `current` that have been issued
  };
  struct End {
    Tick when;
    std::uint32_t copy;
  };
  /// Sender's side of a CopyOrder.
  struct Sent {
    std::uint16_t peer = 0, stream = 0, turn = 0;
    std::uint64_t blocks = 0;  // blocks in this turn
    CopyOrder acks{};
  };
  /// Content of a flag's flit.
  struct Flag {
    std::uint32_t semaphore = 0;
    std::uint64_t blocks = 0;
  };
  static_assert(sizeof(Flag) == NvLink::flit_bytes);
  using Key = std::pair<std::uint16_t, std::uint16_t>;  // {peer, stream} or {source, order number}

  bool may_issue(const Copy& c, Tick now) const { return c.issues || (c.held != 0 && c.bursts[0].ready <= now); }
  void begin_burst(Copy& c);
  unsigned length_of(const Copy& c) const;
  void add_flags(const Copy& c, Packet& packet) const;
  void send_block(Copy& c, const EngineSeat::Place& place, unsigned length, Tick now);
  void send_flag(std::uint16_t peer, std::uint16_t order, std::uint16_t turn, const Flag& content, Tick ready);
  std::uint16_t order_of(std::uint16_t peer, std::uint16_t stream);
  void offer(Tick now);

  EngineSeat seat_;
  CopyFraming framing_;
  bool counts_ = false;  // receivers count blocks: writes are not acknowledged, or flags arrive with the data
  Tick block_time_;
  const StreamWork* work_ = nullptr;
  std::vector<Copy> copies_;
  std::vector<std::uint32_t> free_copies_;
  std::vector<std::uint32_t> users_;  // open copies, in round-robin order
  RingQueue<End> ends_;               // in order of time
  Tick ready_at_ = never;             // earliest time of a burst that is not ready
  std::vector<Sent> sent_;            // by order number
  std::map<Key, std::uint16_t> numbers_;
  std::map<Key, CopyOrder> arrived_;  // orders of other GPUs, if writes are not acknowledged
  std::uint64_t copied_bytes_ = 0;
};

template <class Add>
void BlockHub::block_arrived(const NvHeader& block, Add add) {
  if (counts_) arrived_[{block.source, block.slot}].counted(block.count, add);
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
