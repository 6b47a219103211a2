#pragma once
/// GpuMemory: the memory of a GPU as its engines use it, and what is on its way out of it.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "modules/base/element.h"
#include "modules/packet/packet.h"
#include "modules/packet/payload_views.h"

namespace tributary {

/// Bursts carry no copies: their data are read from here when they arrive, or copied before this memory changes. Without
/// data nothing is moved.
class GpuMemory {
 public:
  explicit GpuMemory(PayloadViews& views) : views_(views) {}
  /// All of it, or null: timing alone is simulated.
  void set(std::byte* data) { data_ = data; }
  bool has_data() const { return data_ != nullptr; }

  /// What a burst from another GPU brings.
  void store(std::uint64_t address, const std::byte* data, std::uint64_t bytes);
  /// Adds (op) `bytes` at `input` to those at `destination`.
  void add(std::uint64_t destination, std::uint64_t input, std::uint64_t bytes, ReduceOp op, ElementType type);
  /// A copy within this memory.
  void move(std::uint64_t destination, std::uint64_t source, std::uint64_t bytes);

  /// What is sent burst by burst: `bytes` at `source`, to `destination` of another memory.
  class Outgoing {
   private:
    friend class GpuMemory;
    std::uint64_t source = 0, destination = 0, bytes = 0;
    PayloadViews::Id view = PayloadViews::none;
  };
  /// Its number, until close().
  unsigned open(std::uint64_t source, std::uint64_t destination, std::uint64_t bytes);
  /// The packet leaves with `bytes` from `offset` on: it gets its view, or a copy of its data.
  void attach(unsigned outgoing, std::uint64_t offset, std::uint32_t bytes, Packet& packet);
  /// All of it has been sent.
  void close(unsigned outgoing);
  void reset();

 private:
  void about_to_change(std::uint64_t address, std::uint64_t bytes) {
    if (owner_.viewed(address, bytes) && views_.copy_on_write(owner_, address, bytes)) forget_closed();
  }
  void forget_closed();

  PayloadViews& views_;
  PayloadViews::Owner owner_;
  std::byte* data_ = nullptr;
  std::vector<Outgoing> outgoing_;
  std::vector<unsigned> free_;
};

}  // namespace tributary
