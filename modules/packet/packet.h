#pragma once
/// Packet: the unit that links carry. Flits are counted, not allocated; payload data are optional and stand apart.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

#include "modules/base/host/large_buffer.h"
#include "modules/base/probe.h"
#include "modules/base/units.h"

namespace tributary {

inline constexpr unsigned flit_bytes = 16;
inline constexpr unsigned block_bytes = 128;  ///< payload of a packet of an NVLink-like fabric: 8 flits
inline constexpr unsigned max_packet_flits = 1 + block_bytes / flit_bytes;  ///< there, with its header flit: 144 B

/// Blocks that so many bytes take, the last one perhaps not all of it.
constexpr std::uint64_t blocks_of(std::uint64_t bytes) { return (bytes + block_bytes - 1) / block_bytes; }

/// Virtual channels of an NVLink-like fabric (Klenk V).
enum Vc : std::uint8_t { request_vc = 0, response_vc = 1 };
inline constexpr unsigned vc_count = 2;

class PacketPool;

/// What the headers of all protocols begin with, for observers.
struct CommonHeader {
  std::uint64_t address;
  std::uint16_t source, destination;
  std::uint16_t count;  ///< operands, or the number of the packet in its chunk
  std::uint16_t slot;
  std::uint8_t opcode;
};

/// Copies of a multicast share one Packet by reference count, so nothing of it changes on its way; but for the route and the
/// VC in networks of routers, where each packet has one holder. 64 bytes, one cache line.
class alignas(64) Packet {
 public:
  Tick born = 0;                 ///< when its request stood at the generator
  std::byte* payload = nullptr;  ///< room for the pool's largest payload, or null (no data wanted, none carried, or lent)
  std::uint8_t flits = 1;
  std::uint8_t vc = request_vc;
  std::uint16_t payload_bytes = 0;  ///< bytes that mean something; the rest of the last flit is padding

  /// The protocol's typed header (at most 32 bytes, trivially copyable).
  template <class H>
  H& header() {
    check<H>();
    return *std::launder(reinterpret_cast<H*>(header_));
  }
  template <class H>
  const H& header() const {
    check<H>();
    return *std::launder(reinterpret_cast<const H*>(header_));
  }

  CommonHeader common() const {
    CommonHeader h;
    std::memcpy(&h, header_, offsetof(CommonHeader, opcode) + 1);
    return h;
  }

  void acquire() { ++references_; }
  inline void release();
  std::uint32_t references() const { return references_; }

 private:
  friend class PacketPool;
  template <class H>
  static constexpr void check() {
    static_assert(sizeof(H) <= 32 && std::is_trivially_copyable_v<H> && alignof(H) <= 8);
  }
  std::uint32_t references_ = 0;
  PacketPool* pool_ = nullptr;
  alignas(8) std::byte header_[32] = {};
};
static_assert(sizeof(Packet) == 64);

/// Number of flits of a packet with this payload: header flit + payload flits.
constexpr std::uint8_t flits_for(unsigned payload_bytes) {
  return static_cast<std::uint8_t>(1 + (payload_bytes + flit_bytes - 1) / flit_bytes);
}

/// Owns all packets and payloads of a platform; both are recycled, so that a hop allocates nothing.
class PacketPool {
 public:
  /// `capacity`: bytes of the largest payload, a power of two.
  explicit PacketPool(unsigned capacity = block_bytes) : capacity_(capacity) {}
  /// A packet with one reference, header zeroed.
  Packet* make(unsigned payload_bytes, bool with_data) {
    if (free_packets_.empty()) grow_packets();
    Packet* p = free_packets_.back();
    free_packets_.pop_back();
    if (free_packets_.size() > ahead) __builtin_prefetch(free_packets_[free_packets_.size() - ahead], 1);
    new (p) Packet;
    p->pool_ = this;
    p->references_ = 1;
    p->flits = flits_for(payload_bytes);
    p->payload_bytes = static_cast<std::uint16_t>(payload_bytes);
    if (with_data && payload_bytes > 0) p->payload = make_payload();
    ++live_;
    made(*p);
    return p;
  }
  /// Packets in use; 0 when a platform is quiescent.
  std::uint64_t live() const { return live_; }

  Probe<const Packet&> made;  ///< a packet begins its life, maybe in the storage of one that has ended

 private:
  friend class Packet;
  static constexpr std::size_t ahead = 4;  // packets that are made soon have been in other caches since
  std::byte* make_payload() {
    if (free_payloads_.empty()) grow_payloads();
    std::byte* d = free_payloads_.back();
    free_payloads_.pop_back();
    if (free_payloads_.size() > ahead) {
      const std::byte* next = free_payloads_[free_payloads_.size() - ahead];
      __builtin_prefetch(next, 1), __builtin_prefetch(next + block_bytes / 2, 1);
    }
    return d;
  }
  void recycle(Packet* p) {
    if (p->payload != nullptr) free_payloads_.push_back(p->payload);
    free_packets_.push_back(p);
    --live_;
  }
  void grow_packets();
  void grow_payloads();

  unsigned capacity_;
  std::vector<LargeBuffer> slabs_;
  std::vector<Packet*> free_packets_;
  std::vector<std::byte*> free_payloads_;
  std::uint64_t live_ = 0;
};

inline void Packet::release() {
  if (--references_ == 0) pool_->recycle(this);
}

/// A packet at an exact time: start of serialisation at a transmitter, delivery of the last flit at an endpoint.
using PacketProbe = Probe<Tick, const Packet&>;

}  // namespace tributary
