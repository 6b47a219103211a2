#pragma once
/// BeatChannel: pins of a channel of a block in RTL, and the beats that have passed or will pass.

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "modules/base/pin_table.h"
#include "modules/base/probe.h"
#include "modules/rtl/core/rtl_model.h"

namespace tributary {

/// A transfer on a channel: `bytes` has the storage of all pins of the channel, one after another.
struct RtlBeat {
  std::uint64_t edge = 0;  ///< to the block: first edge at which it is valid; from the block: edge at which it leaves
  bool last = true;
  std::vector<std::uint8_t> bytes;
};

/// Fields of a beat are addressed by the position of their pin in the table.
class BeatChannel {
 public:
  /// Throws std::invalid_argument if the model lacks a pin, or has another width.
  BeatChannel(const std::string& name, const PinTable& table, const PinChannel& channel, const PinParameters& parameters,
              const PinSet& pins);

  bool to_block() const { return to_block_; }
  RtlBeat make_beat() const { return {0, true, std::vector<std::uint8_t>(bytes_)}; }
  void set(RtlBeat& beat, unsigned field, std::uint64_t value) const;
  std::uint64_t get(const RtlBeat& beat, unsigned field) const;
  std::uint8_t* bytes(RtlBeat& beat, unsigned field) const { return beat.bytes.data() + fields_[field].offset; }
  const std::uint8_t* bytes(const RtlBeat& beat, unsigned field) const { return beat.bytes.data() + fields_[field].offset; }

  // Pins, for the edges.
  bool valid() const { return valid_.data[0] != 0; }
  /// True without a pin `ready`.
  bool ready() const { return !ready_ || ready_.data[0] != 0; }
  bool last() const { return !last_ || last_.data[0] != 0; }
  void drive_ready(bool high) const;
  void drive(const RtlBeat* beat) const;
  bool equals(const RtlBeat& beat) const;
  RtlBeat read(std::uint64_t edge) const;

  /// Adds a strobe for each pin of at most 64 bits; names begin with `prefix`.
  void describe(ProbeDirectory& directory, const std::string& prefix);
  void show(const RtlBeat& beat, Tick when) const;

 private:
  struct Field {
    PinBytes pin;
    std::size_t offset;
    const char* name;
    const char* about;
    unsigned bits;
  };
  bool to_block_;
  std::string name_;
  PinBytes valid_, ready_, last_;
  std::vector<Field> fields_;
  std::size_t bytes_ = 0;
  std::deque<SignalProbe> probes_;  // by field
};

/// Returns the bytes in which a pin of `bits` bits is kept: 1, 2, 4 or 8, above 64 bits words of 4.
std::size_t storage_bytes(std::uint64_t bits);

}  // namespace tributary
