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

std::size_t storage_bytes(std::uint64_t bits) {
  if (bits <= 8) return 1;
  if (bits <= 16) return 2;
  if (bits <= 32) return 4;
  return bits <= 64 ? 8 : (bits + 31) / 32 * 4;
}

BeatChannel::BeatChannel(const std::string& name, const PinTable& table, const PinChannel& channel,
                         const PinParameters& parameters, const PinSet& pins)
    : to_block_(channel.to_block), name_(channel.name) {
  const std::string prefix = name_ + "_";
  valid_ = required(name, pins, prefix + "valid", 1);
  if (channel.ready) ready_ = required(name, pins, prefix + "ready", 1);
  if (channel.last) last_ = required(name, pins, prefix + "last", 1);
  for (const Pin& pin : channel.pins) {
    const std::uint64_t bits = width_of(table, pin.bits, pin.times, parameters);
    fields_.push_back({required(name, pins, prefix + pin.name, bits), bytes_, pin.name, pin.about,
                       static_cast<unsigned>(bits > 64 ? 65 : bits)});
    bytes_ += fields_.back().pin.size;
  }
  probes_.resize(fields_.size());
}

void BeatChannel::set(RtlBeat& beat, unsigned field, std::uint64_t value) const {
  const Field& f = fields_[field];
  if (f.bits < 64) value &= (std::uint64_t{1} << f.bits) - 1;
  std::memcpy(beat.bytes.data() + f.offset, &value, f.pin.size < sizeof value ? f.pin.size : sizeof value);
}

std::uint64_t BeatChannel::get(const RtlBeat& beat, unsigned field) const {
  const Field& f = fields_[field];
  std::uint64_t value = 0;
  std::memcpy(&value, beat.bytes.data() + f.offset, f.pin.size < sizeof value ? f.pin.size : sizeof value);
  return value;
}

void BeatChannel::drive_ready(bool high) const {
  if (ready_) ready_.data[0] = high;
}

void BeatChannel::drive(const RtlBeat* beat) const {
  valid_.data[0] = beat != nullptr;
  if (beat == nullptr) return;
  if (last_) last_.data[0] = beat->last;
  for (const Field& f : fields_) std::memcpy(f.pin.data, beat->bytes.data() + f.offset, f.pin.size);
}

bool BeatChannel::equals(const RtlBeat& beat) const {
  if (last() != beat.last) return false;
  for (const Field& f : fields_)
    if (std::memcmp(f.pin.data, beat.bytes.data() + f.offset, f.pin.size) != 0) return false;
  return true;
}

RtlBeat BeatChannel::read(std::uint64_t edge) const {
  RtlBeat beat{edge, last(), std::vector<std::uint8_t>(bytes_)};
  for (const Field& f : fields_) std::memcpy(beat.bytes.data() + f.offset, f.pin.data, f.pin.size);
  return beat;
}

void BeatChannel::describe(ProbeDirectory& directory, const std::string& prefix) {
  for (std::size_t i = 0; i < fields_.size(); ++i)
    if (fields_[i].bits <= 64)
      directory.add_signal(prefix + name_ + "_" + fields_[i].name, probes_[i], SignalKind::strobe, fields_[i].bits,
                           fields_[i].about);
}

void BeatChannel::show(const RtlBeat& beat, Tick when) const {
  for (std::size_t i = 0; i < fields_.size(); ++i)
    if (probes_[i].observed()) probes_[i](when, get(beat, static_cast<unsigned>(i)));
}

}  // namespace tributary
