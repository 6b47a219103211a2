#pragma once
/// SlotStorage: headers, payloads and sums of the slots of all rings, by slot and member (Liu et al., 4 and Fig. 8).

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "modules/netreduce/accelerator_params.h"
#include "modules/netreduce/core/accelerator_parts.h"
#include "modules/netreduce/core/aggregation_ring.h"
#include "modules/netreduce/core/combinator.h"
#include "modules/netreduce/core/payload_banks.h"
#include "modules/netreduce/core/slot_commit.h"
#include "modules/netreduce/core/timed_part.h"

namespace tributary {

/// Headers and payloads are in parts of the accelerator, and this class knows their places. It checks what the header
/// manager answers. A part writes and reads at the same time, and each bank of the payload buffer by itself. `ring` and
/// `member` are indices as in SlotCommit.
class SlotStorage {
 public:
  SlotStorage(const AcceleratorParams& params, const AcceleratorClock& clock, PartPort<HeaderTransaction>& headers,
              PayloadPort& payloads)
      : params_(params), clock_(clock), stored_headers_(headers, clock), headers_(headers, clock), banks_(payloads, clock) {}

  SlotStorage(const SlotStorage&) = delete;
  SlotStorage& operator=(const SlotStorage&) = delete;
  ~SlotStorage() { clear(); }

  void clear();
  /// Reserves the slots of one more ring, which outlives its storage. Throws std::logic_error if the header manager gives it
  /// the rows of another ring.
  void add(const AggregationRing& ring, std::uint32_t slots, bool with_data);
  std::uint32_t slots(unsigned ring) const { return rings_[ring].slots; }

  /// Work of the payload buffer and the adders since clear(), also in runs without data.
  struct Use {
    std::uint64_t written = 0, read = 0;  ///< bytes of payloads
    std::uint64_t added_elements = 0;
  };
  const Use& use() const { return use_; }

  /// Returns the row of the header buffer.
  std::uint32_t row(unsigned ring, std::uint32_t slot, unsigned member) const {
    return rings_[ring].first_row + slot * rings_[ring].config->ranks() + member;
  }
  void store_header(const SlotCommit& c, std::uint32_t slot);
  /// Keeps a header until store_kept_header(), as a sum of the slot in the adders leaves with the headers of its commit.
  void keep_header(const SlotCommit& c, std::uint32_t slot) { kept_headers_.push_back({c, slot}); }
  void store_kept_header(const SlotCommit& c, std::uint32_t slot);
  /// Banks of the payload buffer, by member.
  PayloadBanks& banks() { return banks_; }
  /// Stores the payload, if data are simulated, and that the member has sent an operand. Returns the time at which the
  /// payload is stored; `never` if that is not known.
  Tick store_payload(const SlotCommit& c, std::uint32_t slot);

  struct Header {
    HeaderBuffer::Entry entry;
    Tick when = 0;  ///< it is loaded, with the cycles of the pipeline
  };
  /// Loads a header at the clock edge `now`.
  Header header(unsigned ring, std::uint32_t slot, unsigned member, Tick now);
  /// As header(), but returns a header that is kept if there is one: the latest that has arrived.
  Header latest_header(unsigned ring, std::uint32_t slot, unsigned member, Tick now) {
    Header loaded = header(ring, slot, member, now);
    if (__builtin_expect(!kept_headers_.empty(), 0)) replace_by_kept(loaded.entry, ring, slot, member);
    return loaded;
  }
  /// Copies the aggregation header as the member has sent it. It needs no time, as it has been read with the operand.
  void copy_aggregation_header(unsigned ring, std::uint32_t slot, unsigned member, std::byte* to, Tick now);
  /// Returns the bytes of the sum in a slot of a ring whose packets are sent one by one; 0 if no member has sent an operand.
  unsigned sum_bytes(unsigned ring, std::uint32_t slot) const {
    const Filled& f = rings_[ring].filled[slot];
    return f.members == 0 ? 0 : f.bytes;
  }
  /// Operands of a slot that is added, if they are copied.
  struct Operands {
    std::vector<const std::byte*> at;
    std::vector<std::byte> bytes;
  };
  /// True if all packets of the slot are empty.
  bool is_empty(unsigned ring, std::uint32_t slot) const {
    const Ring& r = rings_[ring];
    return !r.filled.empty() && r.filled[slot].members == 0;
  }
  /// Adds the operands of a slot to the transaction, which are requested at the clock edge `t.now`, their number, bytes and
  /// latency, and the place of their sum.
  void read_operands(unsigned ring, std::uint32_t slot, CombineTransaction& t) {
    read_operands(ring, slot, t, operands_, [](unsigned) {});
  }
  /// The same for a buffer that may answer later: `operands` keeps the bytes. Calls `waits(member)` for each read whose time
  /// is not known.
  template <class Waits>
  void read_operands(unsigned ring, std::uint32_t slot, CombineTransaction& t, Operands& operands, Waits&& waits);
  /// Keeps the aggregation headers of a slot whose operands have been read, for a buffer whose data follow its answers.
  void keep_aggregation_headers(unsigned ring, std::uint32_t slot, const CombineTransaction& t);
  /// The bytes of a sum follow: frames with it are filled when it is complete. `ticket`: its request.
  void sum_follows(Ticket ticket, const std::byte* sum) { late_.push_back({ticket, sum, {}}); }
  /// Sets the request whose sum the next frames have; 0: the latest of their slots.
  void frame_sum_of(Ticket ticket) { framed_ = ticket; }
  /// All bytes of a sum have been written.
  void sum_complete(Ticket ticket);
  /// A frame has been made with the bytes of the sum of a slot from `skip` on. They need not be complete before the tail of
  /// the frame leaves: no device reads them before that (docs/timing.md#devices-in-kernel-time).
  void framed(unsigned ring, std::uint32_t slot, Packet& frame, unsigned skip) {
    if (__builtin_expect(!late_.empty(), 0)) fill_later(sum(ring, slot), frame, skip);
  }
  /// `copy` has been made from a frame that was framed().
  void framed_as(const Packet& frame, Packet& copy, unsigned skip) {
    if (__builtin_expect(!late_.empty(), 0)) fill_as(frame, copy, skip);
  }
  /// True if bytes of the sum of a slot follow.
  bool is_late(unsigned ring, std::uint32_t slot) const;
  /// Returns the sum of a slot; null if only time is simulated.
  const std::byte* sum(unsigned ring, std::uint32_t slot) const {
    const Ring& r = rings_[ring];
    return r.with_data ? r.values.data() + std::size_t{slot} * r.config->mtu : nullptr;
  }

 private:
  /// Operands of a slot, if packets may be empty.
  struct Filled {
    std::uint64_t members = 0;  // bit mask
    std::uint16_t bytes = 0;    // bytes of each
  };
  struct Ring {
    const AggregationRing* config;
    std::uint32_t slots, first_row;
    std::uint64_t payload_base;
    bool with_data;
    std::vector<std::byte> values;  // sums
    std::vector<Filled> filled;     // by slot; empty for an all-reduce
  };
  std::uint64_t address(unsigned ring, std::uint32_t slot, unsigned member) const {
    const Ring& r = rings_[ring];
    return r.payload_base + std::uint64_t{slot * r.config->ranks() + member} * r.config->mtu;
  }

  /// A sum whose bytes follow, and the frames that carry it.
  struct Late {
    Ticket ticket;
    const std::byte* sum;
    struct Frame {
      Packet* packet;
      unsigned skip;
    };
    std::vector<Frame> frames;
  };
  struct KeptHeader {
    SlotCommit commit;
    std::uint32_t slot;
  };
  void replace_by_kept(HeaderBuffer::Entry& entry, unsigned ring, std::uint32_t slot, unsigned member) const;
  void fill_later(const std::byte* sum, Packet& frame, unsigned skip);
  void fill_as(const Packet& frame, Packet& copy, unsigned skip);

  Tick beats(unsigned bytes) const {
    const auto beat = static_cast<unsigned>(params_.beat.value);
    return clock_.cycles((bytes + beat - 1) / beat);
  }

  const AcceleratorParams& params_;
  const AcceleratorClock& clock_;
  TimedPart<HeaderTransaction> stored_headers_, headers_;
  PayloadBanks banks_;
  Use use_;
  std::vector<Ring> rings_;
  Operands operands_;                                                    // the slot that is being added
  std::map<std::uint64_t, std::vector<std::byte>> aggregation_headers_;  // by the address of the slot
  std::vector<Late> late_;
  Ticket framed_ = 0;
  std::vector<KeptHeader> kept_headers_;  // in the order of their arrivals
};

/// All banks are read in parallel.
template <class Waits>
void SlotStorage::read_operands(unsigned ring, std::uint32_t slot, CombineTransaction& t, Operands& operands,
                                Waits&& waits) {
  Ring& r = rings_[ring];
  const bool whole = r.filled.empty();
  const std::uint64_t members = whole ? ~std::uint64_t{0} >> (64 - r.config->ranks()) : r.filled[slot].members;
  const unsigned mtu = r.config->mtu;
  const std::byte* const direct = banks_.direct();
  t.bytes = whole ? mtu : sum_bytes(ring, slot);
  t.operands = 0;
  operands.at.resize(r.config->ranks());
  if (r.with_data && direct == nullptr) operands.bytes.resize(std::size_t{r.config->ranks()} * mtu);
  for (unsigned m = 0; m < r.config->ranks(); ++m) {
    if ((members >> m & 1) == 0) continue;
    std::byte* const copy = r.with_data ? operands.bytes.data() + std::size_t{m} * mtu : nullptr;
    if (direct == nullptr) {
      const Tick answered = banks_.read(m, address(ring, slot, m), copy, t.bytes, t.now, beats(t.bytes));
      if (answered == never)
        waits(m);
      else
        t.reading = std::max(t.reading, answered - t.now);
    }
    operands.at[t.operands++] = direct != nullptr ? direct + address(ring, slot, m) : copy;
  }
  use_.read += std::uint64_t{t.operands} * t.bytes;
  if (t.operands > 1) use_.added_elements += std::uint64_t{t.operands - 1} * (t.bytes - t.skip) / element_size(t.type);
  if (!r.with_data) return;
  t.operand = operands.at.data();
  t.sum = r.values.data() + std::size_t{slot} * mtu;
}

}  // namespace tributary
