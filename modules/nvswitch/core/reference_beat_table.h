#pragma once
/// ReferenceBeatTable: a BeatTable with the rules of ReductionTable, at line rate.

#include <vector>

#include "modules/nvswitch/core/beat_table.h"

namespace tributary {

/// Operands are added as they arrive. Lookup and the choice of the least recently used entry are linear searches. An
/// emitted sum leaves in the clocks in which the operand arrives; a sum evicted by timeout leaves in the clocks after the
/// header.
class ReferenceBeatTable : public BeatTable {
 public:
  ReferenceBeatTable(std::uint32_t entries, Tick timeout) : timeout_(timeout), entries_(entries) {}

  Out clock(const In& in) override;
  void reset() override;
  std::uint32_t capacity() const override { return static_cast<std::uint32_t>(entries_.size()); }

 private:
  enum class State : std::uint8_t { free, push, pull, completing };
  struct Entry {
    State state = State::free;
    bool fresh = true;  // no operand yet
    std::uint64_t tag = 0, used = 0;
    std::uint16_t requester = 0, count = 0, expected = 0;
    Tick stamp = 0;
    unsigned beats = 0;  // beats of its data
    std::array<Beat, 8> data{};
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  BeatAnswer decide(const BeatHeader& h);
  void push(const BeatHeader& h, BeatAnswer& a);
  void allocate(const BeatHeader& h, BeatAnswer& a);
  void collect(const BeatHeader& h, BeatAnswer& a);
  void expire(const BeatHeader& h, BeatAnswer& a);
  void finish(const BeatHeader& h);
  void take(std::uint32_t entry, const BeatHeader& h, BeatAnswer& a);
  void evict(std::uint32_t entry, BeatAnswer& a);
  void data_beat(const Beat& in, Out& out);
  void leave(Out& out);
  template <class Wanted>
  std::uint32_t find(Wanted&& wanted) const;
  std::uint32_t oldest_push() const;

  Tick timeout_;
  std::vector<Entry> entries_;
  std::uint64_t uses_ = 0;
  // State of the present command: destination of its beats, and beats to return.
  BeatHeader header_;
  std::uint32_t into_ = none;
  bool adds_ = false, completes_ = false;
  unsigned beat_ = 0;
  std::array<Beat, 8> leaving_{};  // data of an evicted entry
  unsigned leaving_beats_ = 0, left_ = 0;
};

}  // namespace tributary
