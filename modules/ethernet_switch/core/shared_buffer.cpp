#include "modules/ethernet_switch/core/shared_buffer.h"

#include <cassert>
#include <stdexcept>
#include <string>

namespace tributary {

SharedBuffer::SharedBuffer(const Config& config)
    : lossless_(config.lossless),
      alpha_(fixed(config.alpha)),
      pfc_alpha_(fixed(config.pfc_alpha)),
      reserve_(config.reserve),
      resume_(config.resume),
      headroom_(config.headroom),
      queues_(std::size_t{config.ports} * classes),
      inputs_(queues_.size()) {
  headroom_.resize(config.ports);
  std::uint64_t apart = 0;
  for (unsigned c = 0; c < classes; ++c)
    for (unsigned p = 0; p < config.ports && lossless(c); ++p) apart += reserve_ + headroom_[p];
  if (apart >= config.bytes)
    throw std::invalid_argument("reserves and headrooms of " + std::to_string(config.ports) + " ports need " +
                                std::to_string(apart) + " B of a buffer of " + std::to_string(config.bytes) + " B");
  shared_ = config.bytes - apart;
}

SharedBuffer::Place SharedBuffer::place_lossless(unsigned input, unsigned traffic_class, unsigned bytes) const {
  const Input& in = inputs_[index(input, traffic_class)];
  const std::uint64_t beyond = beyond_reserve(in.held + bytes), room = free();
  if (beyond <= share(pfc_alpha_, room) && beyond - beyond_reserve(in.held) <= room) return Place::shared;
  return in.headroom + bytes <= headroom_[input] ? Place::headroom : Place::none;
}

bool SharedBuffer::undisturbed(unsigned input, unsigned output, unsigned traffic_class, unsigned bytes) const {
  if (place(input, output, traffic_class, bytes) != Place::shared) return false;
  if (!lossless(traffic_class)) return true;
  const Input& in = inputs_[index(input, traffic_class)];
  const std::uint64_t beyond = beyond_reserve(in.held + bytes), more = beyond - beyond_reserve(in.held);
  return in.headroom == 0 && (beyond == 0 || beyond < share(pfc_alpha_, free() - more));
}

void SharedBuffer::put(unsigned input, unsigned output, unsigned traffic_class, unsigned bytes, Place place) {
  assert(place != Place::none);
  used_ += bytes;
  queues_[index(output, traffic_class)] += bytes;
  if (!lossless(traffic_class)) {
    shared_used_ += bytes;
    return;
  }
  Input& in = inputs_[index(input, traffic_class)];
  if (place == Place::headroom) {
    in.headroom += bytes;
    return;
  }
  shared_used_ += beyond_reserve(in.held + bytes) - beyond_reserve(in.held);
  in.held += bytes;
}

// Bytes in the headroom of an input are freed first.
void SharedBuffer::take(unsigned input, unsigned output, unsigned traffic_class, unsigned bytes) {
  assert(used_ >= bytes && queues_[index(output, traffic_class)] >= bytes);
  used_ -= bytes;
  queues_[index(output, traffic_class)] -= bytes;
  if (!lossless(traffic_class)) {
    shared_used_ -= bytes;
    return;
  }
  Input& in = inputs_[index(input, traffic_class)];
  const std::uint64_t from_headroom = std::min<std::uint64_t>(in.headroom, bytes), rest = bytes - from_headroom;
  assert(in.held >= rest);
  in.headroom -= from_headroom;
  shared_used_ -= beyond_reserve(in.held) - beyond_reserve(in.held - rest);
  in.held -= rest;
}

void SharedBuffer::reset() {
  used_ = shared_used_ = 0;
  std::fill(queues_.begin(), queues_.end(), 0);
  std::fill(inputs_.begin(), inputs_.end(), Input{});
}

}  // namespace tributary
