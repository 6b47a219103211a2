#pragma once
/// PayloadViews: packets of schedule NICs carry no copy of their data, as a rule. These are read from the sender's memory
/// when the packet arrives, and so pass through the simulating machine's caches once, not three times.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tributary {

/// Each packet has the data that were there when it was sent: before the sender's memory changes under packets that are on
/// their way, what they were sent with is copied for them. One for all NICs of a system.
class PayloadViews {
 public:
  using Id = std::uint16_t;
  static constexpr Id none = 0;

  /// What one NIC has lent.
  class Lender {
   public:
    /// Some of these bytes of its memory, maybe.
    bool lends(std::uint64_t address, std::uint64_t bytes) const {
      for (const Range& r : ranges_)
        if (address < r.end && r.begin < address + bytes) return true;
      return false;
    }

   private:
    friend class PayloadViews;
    struct Range {
      std::uint64_t begin, end;
      Id id;
    };
    std::vector<Range> ranges_;
  };

  /// `most`: loans at once.
  explicit PayloadViews(std::size_t most = 0xFFFF) : most_(most) {}

  /// `bytes` at `from` of the memory that begins at `memory`, for packets to the addresses from `to` on of another. `none`
  /// when too many are lent: packets carry copies then.
  Id lend(Lender& lender, const std::byte* memory, std::uint64_t from, std::uint64_t bytes, std::uint64_t to);
  /// The next `bytes` of that loan are on their way, in a packet.
  void sent(Id id, std::uint64_t bytes) { ++loans_[id].under_way, loans_[id].sent += bytes; }
  /// No more packets of that loan will be.
  void close(Id id) {
    loans_[id].open = false;
    if (loans_[id].under_way == 0) end(id);
  }
  bool open(Id id) const { return loans_[id].open; }

  /// The data of the packet that writes to `address`.
  const std::byte* data(Id id, std::uint64_t address) const { return loans_[id].data + (address - loans_[id].to); }
  /// They have been read.
  void arrived(Id id) {
    Loan& loan = loans_[id];
    if (--loan.under_way == 0 && !loan.open) end(id);
  }

  /// These bytes of the lender's memory are about to change: copies what packets on their way are still to read, and closes
  /// these loans. True if there was one.
  bool keep(Lender& lender, std::uint64_t address, std::uint64_t bytes);

  /// Loans that have not ended.
  std::size_t size() const { return loans_.size() - free_.size() - 1; }
  /// Forgets all packets that are on their way.
  void reset();

 private:
  struct Loan {
    const std::byte* data = nullptr;  // what the packet to address `to` gets
    std::uint64_t to = 0, sent = 0;   // sent: bytes
    Lender* lender = nullptr;
    std::uint32_t under_way = 0;  // packets
    bool open = false;
    std::unique_ptr<std::byte[]> copy = nullptr;
  };
  void end(Id id);
  void forget(Lender& lender, Id id);

  std::size_t most_;
  std::vector<Loan> loans_{1};  // by id: the first is `none`
  std::vector<Id> free_;
};

}  // namespace tributary
