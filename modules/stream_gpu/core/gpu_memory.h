#pragma once
/// GpuMemory: the memory of a GPU for its engines, with the data that bursts in flight still refer to.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "modules/packet/packet.h"
#include "modules/packet/payload_views.h"
#include "modules/streams/core/array_memory.h"

namespace tributary {

/// Bursts in flight carry no data. The data are read from this memory when a burst arrives, or copied before the memory
/// changes. In runs without data nothing is moved.
class GpuMemory final : public ArrayMemory {
 public:
  explicit GpuMemory(PayloadViews& views) : views_(views) {}
  /// Sets the bytes of the memory; null in runs that simulate timing only. Nothing may be in flight.
  void set(std::byte* data, std::uint64_t size) { data_ = data, size_ = size; }

  // ArrayMemory
  void add(std::uint64_t destination, const std::uint64_t* inputs, unsigned count, std::uint64_t bytes, ReduceOp op,
           ElementType type) override;
  void move(std::uint64_t destination, std::uint64_t source, std::uint64_t bytes) override;
  /// Opens a transfer that sends ranges of the `bytes` at `source` in order, burst by burst, to `destination` of another
  /// memory. Returns its number, which is valid until close().
  unsigned open(std::uint64_t source, std::uint64_t destination, std::uint64_t bytes);
  /// Returns a packet with the `bytes` of the transfer from `offset` on. It has a view of the memory or a copy of the data.
  Packet* load(unsigned outgoing, std::uint64_t offset, std::uint32_t bytes, PacketPool& pool);
  /// Stores the data of a packet from another GPU. Throws std::out_of_range for addresses outside the memory.
  void unload(const Packet& packet);
  /// Ends a transfer after its last burst.
  void close(unsigned outgoing);
  void reset();
  /// Accesses of kernels and channels since the last reset, also in runs without data.
  struct Use {
    std::uint64_t read = 0, written = 0, added_elements = 0;
  };
  const Use& use() const { return use_; }

 private:
  struct Outgoing {
    std::uint64_t source, destination, bytes;
    PayloadViews::Id view;
  };
  void about_to_change(std::uint64_t address, std::uint64_t bytes) {
    if (owner_.viewed(address, bytes) && views_.copy_on_write(owner_, address, bytes)) forget_closed();
  }
  void forget_closed();

  PayloadViews& views_;
  PayloadViews::Owner owner_;
  std::byte* data_ = nullptr;
  std::uint64_t size_ = 0;
  std::vector<Outgoing> outgoing_;
  std::vector<unsigned> free_;
  Use use_;
};

}  // namespace tributary
