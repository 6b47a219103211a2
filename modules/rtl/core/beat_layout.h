#pragma once
/// BeatLayout: fields of the beats of one channel of a block in RTL.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "modules/base/pin_table.h"

namespace tributary {

/// A transfer on a channel: `bytes` has the storage of all pins of the channel, one after another.
struct RtlBeat {
  std::uint64_t edge = 0;  ///< to the block: first edge at which it is valid; from the block: edge at which it leaves
  bool last = true;
  std::vector<std::uint8_t> bytes;
};

/// Fields of a beat are addressed by the position of their pin in the table.
class BeatLayout {
 public:
  struct Field {
    const char* name;
    const char* about;
    std::uint64_t bits;
    std::size_t offset, size;  ///< place in RtlBeat::bytes
  };
  BeatLayout(const PinTable& table, const PinChannel& channel, const PinParameters& parameters);

  const std::string& name() const { return name_; }
  bool to_block() const { return to_block_; }
  /// True if the channel has the pin `last`.
  bool has_last() const { return has_last_; }
  const std::vector<Field>& fields() const { return fields_; }
  /// Returns the position of a field; `fields().size()` if the channel lacks it.
  unsigned find(const std::string& name) const;

  RtlBeat make_beat() const { return {0, true, std::vector<std::uint8_t>(bytes_)}; }
  /// Sets a field of at most 64 bits; bits above its width are dropped.
  void set(RtlBeat& beat, unsigned field, std::uint64_t value) const;
  std::uint64_t get(const RtlBeat& beat, unsigned field) const;
  std::uint8_t* bytes(RtlBeat& beat, unsigned field) const { return beat.bytes.data() + fields_[field].offset; }
  const std::uint8_t* bytes(const RtlBeat& beat, unsigned field) const { return beat.bytes.data() + fields_[field].offset; }

 private:
  std::string name_;
  bool to_block_, has_last_;
  std::vector<Field> fields_;
  std::size_t bytes_ = 0;
};

/// A beat of an answer as it is expected: fields that are not set may have any value.
struct ExpectedBeat {
  RtlBeat beat;
  RtlBeat mask;  ///< bits that are compared; `last` always is

  explicit ExpectedBeat(const BeatLayout& channel) : beat(channel.make_beat()), mask(channel.make_beat()) {}
  void set(const BeatLayout& channel, unsigned field, std::uint64_t value) {
    channel.set(beat, field, value);
    channel.set(mask, field, ~std::uint64_t{0});
  }
  /// Sets `size` bytes of a field, from byte `at` of it on.
  void set_bytes(const BeatLayout& channel, unsigned field, std::size_t at, const std::byte* from, std::size_t size) {
    std::memcpy(channel.bytes(beat, field) + at, from, size);
    std::memset(channel.bytes(mask, field) + at, 0xFF, size);
  }
};

/// Returns the bytes in which a pin of `bits` bits is kept: 1, 2, 4 or 8, above 64 bits words of 4.
std::size_t storage_bytes(std::uint64_t bits);

}  // namespace tributary
