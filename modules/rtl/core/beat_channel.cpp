#include "modules/rtl/core/beat_channel.h"

#include <cstring>
#include <stdexcept>

namespace tributary {
namespace {

PinBytes required(const std::string& block, const PinSet& pins, const std::string& name, std::uint64_t bits) {
  const PinBytes pin = pins.find(name);
  if (!pin) throw std::invalid_argument(block + " has no pin `" + name + "` of " + std::to_string(bits) + " bits");
  if (pin.size != storage_bytes(bits))
    throw std::invalid_argument(block + ": pin `" + name + "` has another width than " + std::to_string(bits) + " bits");
  return pin;
}

}  // namespace

BeatChannel::BeatChannel(const std::string& name, const PinTable& table, const PinChannel& channel,
                         const PinParameters& parameters, const PinSet& pins)
    : BeatLayout(table, channel, parameters) {
  const std::string prefix = this->name() + "_";
  valid_ = required(name, pins, prefix + "valid", 1);
  if (channel.ready) ready_ = required(name, pins, prefix + "ready", 1);
  if (channel.last) last_ = required(name, pins, prefix + "last", 1);
  for (const Field& f : fields()) pins_.push_back(required(name, pins, prefix + f.name, f.bits));
}

void BeatChannel::drive_ready(bool high) const {
  if (ready_) ready_.data[0] = high;
}

void BeatChannel::drive(const RtlBeat* beat) const {
  valid_.data[0] = beat != nullptr;
  if (beat == nullptr) return;
  if (last_) last_.data[0] = beat->last;
  for (std::size_t i = 0; i < pins_.size(); ++i)
    std::memcpy(pins_[i].data, beat->bytes.data() + fields()[i].offset, pins_[i].size);
}

bool BeatChannel::equals(const RtlBeat& beat) const {
  if (last() != beat.last) return false;
  for (std::size_t i = 0; i < pins_.size(); ++i)
    if (std::memcmp(pins_[i].data, beat.bytes.data() + fields()[i].offset, pins_[i].size) != 0) return false;
  return true;
}

RtlBeat BeatChannel::read(std::uint64_t edge) const {
  RtlBeat beat = make_beat();
  beat.edge = edge;
  beat.last = last();
  for (std::size_t i = 0; i < pins_.size(); ++i)
    std::memcpy(beat.bytes.data() + fields()[i].offset, pins_[i].data, pins_[i].size);
  return beat;
}

}  // namespace tributary
