#pragma once
/// Packet and PacketPool: the unit that links carry, and its storage. Bytes on the wire are counted, not allocated; payload
/// data are optional and stored separately.

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "modules/base/host/large_buffer.h"
#include "modules/base/units.h"
#include "modules/packet/packet_view.h"

namespace tributary {

class PacketPool;

/// One packet in flight. The copies of a multicast share one Packet by reference count, so its fields do not change in
/// flight, except route and VC in networks of routers, where each packet has one holder. 64 bytes, one cache line.
class alignas(64) Packet {
 public:
  Tick born = 0;                 ///< time at which the generator created its request
  std::byte* payload = nullptr;  ///< buffer for the pool's largest payload; null if no data are carried, or if they are lent
  std::uint16_t wire_bytes = 0;  ///< header, payload and padding
  std::uint16_t payload_bytes = 0;  ///< without padding
  std::uint8_t vc = 0;
  std::uint8_t damage = 0;  ///< FrameDamage: which check sums of the frame fail; 0: intact

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

  void acquire() {
    assert(references_ != 0xFFFF);
    ++references_;
  }
  inline void release();
  unsigned references() const { return references_; }

 private:
  friend class PacketPool;
  template <class H>
  static constexpr void check() {
    static_assert(sizeof(H) <= 32 && std::is_trivially_copyable_v<H> && alignof(H) <= 8);
  }
  std::uint16_t references_ = 0;
  PacketPool* pool_ = nullptr;
  alignas(8) std::byte header_[32] = {};
};
static_assert(sizeof(Packet) == 64);

/// Size of a packet in the protocol's flits.
template <class Protocol>
constexpr std::uint16_t flits_of(const Packet& p) {
  return static_cast<std::uint16_t>(p.wire_bytes / Protocol::flit_bytes);
}

template <class Protocol>
PacketView view_of(const Packet& p) {
  PacketView view = Protocol::view(p.header<typename Protocol::Header>());
  view.protocol = Protocol::id;
  view.vc = p.vc;
  view.bytes = p.wire_bytes;
  view.born = p.born;
  view.storage = &p;
  return view;
}

/// Fires a probe with the view of a packet; the packet is not read if nothing observes the probe.
template <class Protocol>
void show(const PacketProbe& probe, Tick when, const Packet& p) {
  if (__builtin_expect(probe.observed(), 0)) probe(when, view_of<Protocol>(p));
}

/// As show(), for delivery probes, which nearly every run observes.
template <class Protocol>
void show_delivery(const PacketProbe& probe, Tick when, const Packet& p) {
  if (probe.observed()) probe(when, view_of<Protocol>(p));
}

/// Sizes of a protocol's packets.
struct PacketFraming {
  unsigned payload_bytes = 0;  ///< largest payload
  unsigned header_bytes = 0, flit_bytes = 1;
  ProtocolId protocol = ProtocolId::nvlink;
};
template <class Protocol>
constexpr PacketFraming framing_of(unsigned payload_bytes = Protocol::max_payload_bytes) {
  static_assert((Protocol::flit_bytes & (Protocol::flit_bytes - 1)) == 0);
  return {payload_bytes, Protocol::header_bytes, Protocol::flit_bytes, Protocol::id};
}

/// Owns all packets and payloads of a platform. Both are recycled, so a hop allocates nothing.
class PacketPool {
 public:
  explicit PacketPool(const PacketFraming& framing)
      : capacity_((framing.payload_bytes + line - 1) / line * line),
        header_bytes_(framing.header_bytes),
        flit_mask_(framing.flit_bytes - 1) {}
  template <class Protocol>
  explicit PacketPool(Protocol) : PacketPool(framing_of<Protocol>()) {}
  /// Returns a packet with one reference and a zeroed header; its size is padded to whole flits.
  [[gnu::always_inline]] Packet* make(unsigned payload_bytes, bool with_data) {
    if (free_packets_.empty()) grow_packets();
    Packet* p = free_packets_.back();
    free_packets_.pop_back();
    if (free_packets_.size() > ahead) __builtin_prefetch(free_packets_[free_packets_.size() - ahead], 1);
    new (p) Packet;
    p->pool_ = this;
    p->references_ = 1;
    p->wire_bytes = static_cast<std::uint16_t>((header_bytes_ + payload_bytes + flit_mask_) & ~flit_mask_);
    p->payload_bytes = static_cast<std::uint16_t>(payload_bytes);
    if (with_data && payload_bytes > 0) p->payload = make_payload();
    ++live_;
    made(p);
    return p;
  }
  /// Returns a copy of a packet of another pool of the same framing, with one reference. `data`: its payload; null without
  /// data. Throws std::length_error for a payload that is larger than those of the pool.
  Packet* adopt(const Packet& image, const std::byte* data) {
    if (data != nullptr && image.payload_bytes > capacity_) throw std::length_error("a packet of another framing");
    Packet* p = make(image.payload_bytes, data != nullptr);
    p->born = image.born;
    p->wire_bytes = image.wire_bytes;
    p->vc = image.vc;
    p->damage = image.damage;
    __builtin_memcpy(p->header_, image.header_, sizeof p->header_);
    if (p->payload != nullptr) __builtin_memcpy(p->payload, data, image.payload_bytes);
    return p;
  }
  /// Packets in use; 0 when a platform is quiescent.
  std::uint64_t live() const { return live_; }

  Probe<const void*> made;  ///< fires for each new packet; its storage may be recycled

 private:
  friend class Packet;
  static constexpr unsigned line = 64;     // cache line of the host: no two payloads share one
  static constexpr std::size_t ahead = 4;  // prefetch distance in packets: a recycled packet may have left the cache
  std::byte* make_payload() {
    if (free_payloads_.empty()) grow_payloads();
    std::byte* d = free_payloads_.back();
    free_payloads_.pop_back();
    if (free_payloads_.size() > ahead) {
      const std::byte* next = free_payloads_[free_payloads_.size() - ahead];
      __builtin_prefetch(next, 1), __builtin_prefetch(next + 64, 1);
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

  unsigned capacity_, header_bytes_, flit_mask_;
  std::vector<LargeBuffer> slabs_;
  std::vector<Packet*> free_packets_;
  std::vector<std::byte*> free_payloads_;
  std::size_t packets_ = 0, payloads_ = 0;  // made so far, free or in use
  std::uint64_t live_ = 0;
};

inline void Packet::release() {
  if (--references_ == 0) pool_->recycle(this);
}

}  // namespace tributary
