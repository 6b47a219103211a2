#pragma once
/// PayloadViews: zero-copy payloads of schedule NICs. Most packets carry no copy of their data; the receiver reads the
/// sender's memory when the packet arrives, so that data pass through the host's caches once instead of three times.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tributary {

/// Delivers the data as they were when the packet was sent: before the sender's memory changes, the data of packets in
/// flight are copied. One instance serves all NICs of a system.
class PayloadViews {
 public:
  using Id = std::uint16_t;
  static constexpr Id none = 0;

  /// A NIC whose memory is viewed.
  class Owner {
   public:
    /// Returns true if a packet in flight may still read some of these bytes.
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

  /// `most`: maximum number of open views.
  explicit PayloadViews(std::size_t most = 0xFFFF) : most_(most) {}

  /// Opens a view of `bytes` at offset `from` of the memory at `memory`, for packets that write to addresses from `to` on
  /// in another memory. Returns `none` if too many views are open; packets then carry copies.
  Id add(Owner& owner, const std::byte* memory, std::uint64_t from, std::uint64_t bytes, std::uint64_t to);
  /// Records that the next `bytes` of the view were sent in a packet.
  void sent(Id id, std::uint64_t bytes) { ++views_[id].in_flight, views_[id].sent += bytes; }
  /// Records that the view gets no more packets.
  void close(Id id) {
    views_[id].open = false;
    if (views_[id].in_flight == 0) end(id);
  }
  bool open(Id id) const { return views_[id].open; }

  /// Returns the data of the packet that writes to `address`.
  const std::byte* data(Id id, std::uint64_t address) const { return views_[id].data + (address - views_[id].to); }
  /// Records that a packet of the view has arrived and its data have been read.
  void arrived(Id id) {
    View& view = views_[id];
    if (--view.in_flight == 0 && !view.open) end(id);
  }

  /// Call before these bytes of the owner's memory change. Copies the data that packets in flight have still to read, and
  /// closes those views. Returns true if there was any.
  bool copy_on_write(Owner& owner, std::uint64_t address, std::uint64_t bytes);

  /// Number of views in use.
  std::size_t size() const { return views_.size() - free_.size() - 1; }
  /// Forgets all packets in flight.
  void reset();

 private:
  struct View {
    const std::byte* data = nullptr;  // data of the packet to address `to`
    std::uint64_t to = 0, sent = 0;   // sent: in bytes
    Owner* owner = nullptr;
    std::uint32_t in_flight = 0;  // packets in flight
    bool open = false;
    std::unique_ptr<std::byte[]> copy = nullptr;
  };
  void end(Id id);
  void forget(Owner& owner, Id id);

  std::size_t most_;
  std::vector<View> views_{1};  // by id; entry 0 is `none`
  std::vector<Id> free_;
};

}  // namespace tributary
