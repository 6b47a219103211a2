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

  /// A NIC, whose memory is viewed.
  class Owner {
   public:
    /// Some of these bytes of its memory, maybe, are still to be read.
    bool viewed(std::uint64_t address, std::uint64_t bytes) const {
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

  /// `most`: views at once.
  explicit PayloadViews(std::size_t most = 0xFFFF) : most_(most) {}

  /// `bytes` at `from` of the memory that begins at `memory`, for packets to the addresses from `to` on of another. `none`
  /// when there are too many views: packets carry copies then.
  Id add(Owner& owner, const std::byte* memory, std::uint64_t from, std::uint64_t bytes, std::uint64_t to);
  /// The next `bytes` of that view are on their way, in a packet.
  void sent(Id id, std::uint64_t bytes) { ++views_[id].under_way, views_[id].sent += bytes; }
  /// No more packets of that view will be.
  void close(Id id) {
    views_[id].open = false;
    if (views_[id].under_way == 0) end(id);
  }
  bool open(Id id) const { return views_[id].open; }

  /// The data of the packet that writes to `address`.
  const std::byte* data(Id id, std::uint64_t address) const { return views_[id].data + (address - views_[id].to); }
  /// They have been read.
  void arrived(Id id) {
    View& view = views_[id];
    if (--view.under_way == 0 && !view.open) end(id);
  }

  /// These bytes of the owner's memory are about to change: copies what packets on their way are still to read, and closes
  /// these views. True if there was one.
  bool copy_on_write(Owner& owner, std::uint64_t address, std::uint64_t bytes);

  /// Views that have not ended.
  std::size_t size() const { return views_.size() - free_.size() - 1; }
  /// Forgets all packets that are on their way.
  void reset();

 private:
  struct View {
    const std::byte* data = nullptr;  // what the packet to address `to` gets
    std::uint64_t to = 0, sent = 0;   // sent: bytes
    Owner* owner = nullptr;
    std::uint32_t under_way = 0;  // packets
    bool open = false;
    std::unique_ptr<std::byte[]> copy = nullptr;
  };
  void end(Id id);
  void forget(Owner& owner, Id id);

  std::size_t most_;
  std::vector<View> views_{1};  // by id: the first is `none`
  std::vector<Id> free_;
};

}  // namespace tributary
