#pragma once
/// GpuMemory: the memory of a GPU as its engines use it, and what is on its way out of it.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "modules/packet/packet.h"
#include "modules/packet/payload_views.h"
#include "modules/streams/core/array_memory.h"

namespace tributary {

/// Bursts carry no copies: their data are read from here when they arrive, or copied before this memory changes. Without
/// data nothing is moved.
class GpuMemory final : public ArrayMemory {
 public:
  explicit GpuMemory(PayloadViews& views) : views_(views) {}
  /// All of its bytes, or null: timing alone is simulated. Nothing is on its way.
  void set(std::byte* data, std::uint64_t size) { data_ = data, size_ = size; }
  bool has_data() const { return data_ != nullptr; }

  // ArrayMemory
  void add(std::uint64_t destination, const std::uint64_t* inputs, unsigned count, std::uint64_t bytes, ReduceOp op,
           ElementType type) override;
  void move(std::uint64_t destination, std::uint64_t source, std::uint64_t bytes) override;
  /// Of `bytes` at `source`, to `destination` of another memory, some are sent, burst by burst in order: their number, until
  /// close().
  unsigned open(std::uint64_t source, std::uint64_t destination, std::uint64_t bytes);
  /// The packet that leaves with `bytes` of them from `offset` on: it has its view, or a copy of its data.
  Packet* load(unsigned outgoing, std::uint64_t offset, std::uint32_t bytes, PacketPool& pool);
  /// What a packet from another GPU brings is stored. Throws std::out_of_range beyond the memory.
  void unload(const Packet& packet);
  /// All of it has been sent.
  void close(unsigned outgoing);
  void reset();

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
};

}  // namespace tributary
