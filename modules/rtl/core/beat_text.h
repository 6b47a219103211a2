#pragma once
/// Beats as lines of text: edge, `last` and the fields of a channel, separated by blanks (docs/block_records.md#beats).

#include <string>

#include "modules/rtl/core/beat_layout.h"

namespace tributary {

/// Appends the line of a beat: fields of less than 64 bits are decimal, others hexadecimal in full width.
void append_beat(const BeatLayout& channel, const RtlBeat& beat, std::string& text);
/// Appends the line of an answer, with a mask as its last column: a bit for each bit of the columns, hexadecimal, the first
/// column in the highest bits.
void append_beat(const BeatLayout& channel, const ExpectedBeat& beat, std::string& text);

/// Returns the number of bits of all columns, with `last`.
std::uint64_t bits_of(const BeatLayout& channel);

}  // namespace tributary
