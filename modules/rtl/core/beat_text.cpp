#include "modules/rtl/core/beat_text.h"

#include <algorithm>

namespace tributary {
namespace {

/// Appends `bits` bits of little-endian bytes, the highest digit first.
void append_digits(const std::uint8_t* bytes, std::uint64_t bits, std::string& text) {
  static constexpr char digits[] = "0123456789abcdef";
  const std::size_t count = (bits + 3) / 4, before = text.size();
  text.resize(before + count);
  char* to = text.data() + before;
  std::size_t byte = (count + 1) / 2;
  if (count % 2 == 1) *to++ = digits[bytes[--byte] & 15];
  while (byte-- != 0) {
    *to++ = digits[bytes[byte] >> 4];
    *to++ = digits[bytes[byte] & 15];
  }
}

/// Bits from the lowest one on.
class BitString {
 public:
  void push(std::uint64_t value, unsigned bits) {
    if (bits < 64) value &= (std::uint64_t{1} << bits) - 1;
    const unsigned at = bits_ % 64;
    if (at == 0) words_.push_back(0);
    words_.back() |= value << at;
    if (at + bits > 64) words_.push_back(value >> (64 - at));
    bits_ += bits;
  }
  void append_to(std::string& text) const {
    append_digits(reinterpret_cast<const std::uint8_t*>(words_.data()), bits_, text);
  }

 private:
  std::vector<std::uint64_t> words_;
  unsigned bits_ = 0;
};

void append_columns(const BeatLayout& channel, const RtlBeat& beat, std::string& text) {
  text += std::to_string(beat.edge);
  if (channel.has_last()) text += beat.last ? " 1" : " 0";
  for (unsigned i = 0; i < channel.fields().size(); ++i) {
    const BeatLayout::Field& field = channel.fields()[i];
    text += ' ';
    if (field.bits < 64)
      text += std::to_string(channel.get(beat, i));
    else
      append_digits(channel.bytes(beat, i), field.bits, text);
  }
}

}  // namespace

void append_beat(const BeatLayout& channel, const RtlBeat& beat, std::string& text) {
  append_columns(channel, beat, text);
  text += '\n';
}

void append_beat(const BeatLayout& channel, const ExpectedBeat& beat, std::string& text) {
  append_columns(channel, beat.beat, text);
  text += ' ';
  BitString mask;
  for (std::size_t i = channel.fields().size(); i-- != 0;) {
    const BeatLayout::Field& field = channel.fields()[i];
    const std::uint8_t* const bytes = channel.bytes(beat.mask, static_cast<unsigned>(i));
    for (std::uint64_t at = 0; at < field.bits; at += 64) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes + at / 8, std::min<std::size_t>(sizeof word, field.size - at / 8));
      mask.push(word, static_cast<unsigned>(std::min<std::uint64_t>(64, field.bits - at)));
    }
  }
  if (channel.has_last()) mask.push(1, 1);
  mask.append_to(text);
  text += '\n';
}

std::uint64_t bits_of(const BeatLayout& channel) {
  std::uint64_t bits = channel.has_last() ? 1 : 0;
  for (const BeatLayout::Field& field : channel.fields()) bits += field.bits;
  return bits;
}

}  // namespace tributary
