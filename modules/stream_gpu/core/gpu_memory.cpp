#include "modules/stream_gpu/core/gpu_memory.h"

#include <cstring>
#include <stdexcept>
#include <string>

#include "modules/base/host/streaming_copy.h"
#include "modules/protocol/schedule_nic.h"

namespace tributary {

unsigned GpuMemory::open(std::uint64_t source, std::uint64_t destination, std::uint64_t bytes) {
  if (free_.empty()) {
    free_.push_back(static_cast<unsigned>(outgoing_.size()));
    outgoing_.emplace_back();
  }
  const unsigned number = free_.back();
  free_.pop_back();
  outgoing_[number] = {source, destination, bytes, PayloadViews::none};
  return number;
}

Packet* GpuMemory::load(unsigned number, std::uint64_t offset, std::uint32_t bytes, PacketPool& pool) {
  Outgoing& o = outgoing_[number];
  if (data_ != nullptr && o.view == PayloadViews::none)
    o.view = views_.add(owner_, data_, o.source + offset, o.bytes - offset, o.destination + offset);
  const bool copied = data_ != nullptr && o.view == PayloadViews::none;
  Packet* const packet = pool.make(bytes, copied);
  router_header(*packet).payload_view = o.view;
  if (o.view != PayloadViews::none) views_.sent(o.view, bytes);
  if (copied) std::memcpy(packet->payload, data_ + o.source + offset, bytes);
  return packet;
}

void GpuMemory::close(unsigned number) {
  if (outgoing_[number].view != PayloadViews::none) views_.close(outgoing_[number].view);
  outgoing_[number].view = PayloadViews::none;
  free_.push_back(number);
}

void GpuMemory::unload(const Packet& packet) {
  const RouterHeader& h = router_header(packet);
  const bool viewed = h.payload_view != PayloadViews::none;
  const std::byte* const data = viewed ? views_.data(h.payload_view, h.address) : packet.payload;
  if (data != nullptr && data_ != nullptr) {
    if (h.address > size_ || packet.payload_bytes > size_ - h.address)
      throw std::out_of_range("gpu" + std::to_string(h.source) + " writes to address " + std::to_string(h.address) +
                              " of a memory of " + std::to_string(size_) + " B");
    about_to_change(h.address, packet.payload_bytes);
    copy_streaming(data_ + h.address, data, packet.payload_bytes);
  }
  if (viewed) views_.arrived(h.payload_view);
}

void GpuMemory::add(std::uint64_t destination, const std::uint64_t* inputs, unsigned count, std::uint64_t bytes, ReduceOp op,
                    ElementType type) {
  use_.read += bytes * (count + 1), use_.written += bytes, use_.added_elements += bytes * count / element_size(type);
  if (data_ == nullptr) return;
  about_to_change(destination, bytes);
  for (unsigned i = 0; i < count; ++i) apply(op, type, data_ + destination, data_ + inputs[i], bytes);
}

void GpuMemory::move(std::uint64_t destination, std::uint64_t source, std::uint64_t bytes) {
  use_.read += bytes, use_.written += bytes;
  if (data_ == nullptr) return;
  about_to_change(destination, bytes);
  std::memmove(data_ + destination, data_ + source, bytes);
}

/// Drops closed views: packets in flight have kept the old data, and later packets need the new data.
void GpuMemory::forget_closed() {
  for (Outgoing& o : outgoing_)
    if (o.view != PayloadViews::none && !views_.open(o.view)) o.view = PayloadViews::none;
}

void GpuMemory::reset() {
  outgoing_.clear();
  free_.clear();
  use_ = {};
}

}  // namespace tributary
