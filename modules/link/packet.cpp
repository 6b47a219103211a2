#include "modules/link/packet.h"

namespace tributary {
namespace {
constexpr std::size_t slab_size = 1024;
}

void PacketPool::grow_packets() {
  packet_slabs_.push_back(std::make_unique<Packet[]>(slab_size));
  for (std::size_t i = 0; i < slab_size; ++i) free_packets_.push_back(&packet_slabs_.back()[i]);
}

void PacketPool::grow_payloads() {
  payload_slabs_.push_back(std::make_unique<Payload[]>(slab_size));
  for (std::size_t i = 0; i < slab_size; ++i) free_payloads_.push_back(payload_slabs_.back()[i].data);
}

}  // namespace tributary
