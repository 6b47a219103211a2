#include "modules/packet/packet.h"

#include <algorithm>

namespace tributary {
namespace {

/// Reserves room for every element of a pool, so that the return of one never allocates: a machine that has run out of
/// memory is reset without more of it.
template <class T>
void reserve_all(std::vector<T>& free, std::size_t more, std::size_t& owned) {
  owned += more;
  if (free.capacity() < owned) free.reserve(std::max(owned, 2 * free.capacity()));
}

}  // namespace

void PacketPool::grow_packets() {
  reserve_all(free_packets_, huge_page / sizeof(Packet), packets_);
  slabs_.push_back(make_large_buffer(huge_page));
  for (std::size_t at = huge_page; at != 0; at -= sizeof(Packet))
    free_packets_.push_back(reinterpret_cast<Packet*>(slabs_.back().get() + at - sizeof(Packet)));
}

void PacketPool::grow_payloads() {
  reserve_all(free_payloads_, huge_page / capacity_, payloads_);
  slabs_.push_back(make_large_buffer(huge_page));
  for (std::size_t at = huge_page / capacity_ * capacity_; at != 0; at -= capacity_)
    free_payloads_.push_back(slabs_.back().get() + at - capacity_);
}

}  // namespace tributary
