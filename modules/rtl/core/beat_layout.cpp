#include "modules/rtl/core/beat_layout.h"

#include <algorithm>
#include <cstring>

namespace tributary {

std::size_t storage_bytes(std::uint64_t bits) {
  if (bits <= 8) return 1;
  if (bits <= 16) return 2;
  if (bits <= 32) return 4;
  return bits <= 64 ? 8 : (bits + 31) / 32 * 4;
}

BeatLayout::BeatLayout(const PinTable& table, const PinChannel& channel, const PinParameters& parameters)
    : name_(channel.name), to_block_(channel.to_block), has_last_(channel.last) {
  for (const Pin& pin : channel.pins) {
    const std::uint64_t bits = width_of(table, pin.bits, pin.times, parameters);
    fields_.push_back({pin.name, pin.about, bits, bytes_, storage_bytes(bits)});
    bytes_ += fields_.back().size;
  }
}

unsigned BeatLayout::find(const std::string& name) const {
  const auto found = std::find_if(fields_.begin(), fields_.end(), [&](const Field& f) { return name == f.name; });
  return static_cast<unsigned>(found - fields_.begin());
}

void BeatLayout::set(RtlBeat& beat, unsigned field, std::uint64_t value) const {
  const Field& f = fields_[field];
  if (f.bits < 64) value &= (std::uint64_t{1} << f.bits) - 1;
  std::memcpy(beat.bytes.data() + f.offset, &value, std::min(f.size, sizeof value));
}

std::uint64_t BeatLayout::get(const RtlBeat& beat, unsigned field) const {
  const Field& f = fields_[field];
  std::uint64_t value = 0;
  std::memcpy(&value, beat.bytes.data() + f.offset, std::min(f.size, sizeof value));
  return value;
}

}  // namespace tributary
