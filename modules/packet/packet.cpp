#include "modules/packet/packet.h"

namespace tributary {
void PacketPool::grow_packets() {
  slabs_.push_back(make_large_buffer(huge_page));
  for (std::size_t at = huge_page; at != 0; at -= sizeof(Packet))
    free_packets_.push_back(reinterpret_cast<Packet*>(slabs_.back().get() + at - sizeof(Packet)));
}

void PacketPool::grow_payloads() {
  slabs_.push_back(make_large_buffer(huge_page));
  for (std::size_t at = huge_page / capacity_ * capacity_; at != 0; at -= capacity_)
    free_payloads_.push_back(slabs_.back().get() + at - capacity_);
}

}  // namespace tributary
