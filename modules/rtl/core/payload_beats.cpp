#include "modules/rtl/core/payload_beats.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "modules/netreduce/core/payload_buffer_pins.h"

namespace tributary {
namespace {

enum Channel : unsigned { write_request, read_request, answer };
enum Write : unsigned { data_in, write_row };
enum Read : unsigned { read_row };
enum Answered : unsigned { data_out };

constexpr unsigned row_bytes = 64, header_bytes = 16;

unsigned rows_of(unsigned bytes) { return (bytes + row_bytes - 1) / row_bytes; }

}  // namespace

std::vector<RtlBeat> write_beats(const BeatLayout& in, std::uint64_t row, const std::byte* data, unsigned bytes) {
  std::vector<RtlBeat> all(rows_of(bytes), in.make_beat());
  for (unsigned k = 0; k < all.size(); ++k) {
    const unsigned at = k * row_bytes;
    if (data != nullptr) std::memcpy(in.bytes(all[k], data_in), data + at, std::min(row_bytes, bytes - at));
    in.set(all[k], write_row, row + k);
  }
  return all;
}

std::vector<RtlBeat> read_beats(const BeatLayout& in, std::uint64_t row, unsigned bytes) {
  std::vector<RtlBeat> all(rows_of(bytes), in.make_beat());
  for (unsigned k = 0; k < all.size(); ++k) in.set(all[k], read_row, row + k);
  return all;
}

std::vector<ExpectedBeat> row_beats(const BeatLayout& out, const std::byte* data, unsigned bytes) {
  std::vector<ExpectedBeat> all(rows_of(bytes), ExpectedBeat(out));
  for (unsigned k = 0; k < all.size() && data != nullptr; ++k) {
    const unsigned at = k * row_bytes;
    all[k].set_bytes(out, data_out, 0, data + at, std::min(row_bytes, bytes - at));
  }
  return all;
}

void copy_row(const BeatLayout& out, const RtlBeat& beat, std::byte* to, unsigned bytes) {
  std::memcpy(to, out.bytes(beat, data_out), std::min(row_bytes, bytes));
}

PayloadBeats::PayloadBeats(const std::string& name, const RtlBlock& block, const AcceleratorParams& params)
    : places_(name, block, params) {
  for (unsigned r = 0; r < places_.banks(); ++r) banks_.emplace_back(name, payload_buffer_pins(), block, params.clock.value);
}

PayloadBeats::Place PayloadBeats::place(std::uint64_t address, unsigned beats) {
  const PayloadPlaces::Place place = places_.find(address, beats);
  return {banks_[place.bank], place.row};
}

Tick PayloadBeats::interval(const RtlUnit& bank, unsigned beats) {
  const std::uint64_t nominal = bank.start() + beats;
  return bank.free_at() > nominal ? bank.clock().cycles(bank.free_at() - nominal) : 0;
}

AccessTime PayloadBeats::write(std::uint64_t address, const std::byte* data, unsigned bytes, Tick now) {
  const unsigned beats = rows_of(bytes);
  const Place to = place(address, beats);
  std::vector<RtlBeat> rows = write_beats(to.bank.channel(write_request), to.row, data, bytes);
  to.bank.begin(now, write_request);
  for (unsigned k = 0; k < beats; ++k) to.bank.offer(write_request, std::move(rows[k]), k);
  to.bank.run(answer, 0, "the write of row " + std::to_string(to.row));
  early_ = {};
  return {0, interval(to.bank, beats)};
}

/// The first beat counts, or a later one that is late: the adders take a beat in each clock. The aggregation header of a
/// payload is copied in no time.
AccessTime PayloadBeats::read(std::uint64_t address, std::byte* data, unsigned bytes, Tick now) {
  const unsigned beats = rows_of(bytes);
  const Place from = place(address, beats);
  std::vector<RtlBeat> rows = read_beats(from.bank.channel(read_request), from.row, bytes);
  from.bank.begin(now, read_request);
  for (unsigned k = 0; k < beats; ++k) from.bank.offer(read_request, std::move(rows[k]), k);
  from.bank.run(answer, beats, "the read of row " + std::to_string(from.row));
  std::uint64_t answered = 0;
  for (unsigned k = 0; k < beats; ++k) {
    answered = std::max(answered, from.bank.answered(k) - k);
    copy_row(from.bank.channel(answer), from.bank.answer(k), data + k * row_bytes, bytes - k * row_bytes);
  }
  early_ = {};
  if (bytes > header_bytes) {
    const ClockDomain& clock = from.bank.clock();
    const Tick late = beyond_nominal(clock.cycles(answered - from.bank.start()), clock.cycles(1), early_.latency);
    return {late, interval(from.bank, beats)};
  }
  from.bank.end_in_no_time();
  return {};
}

void PayloadBeats::reset() {
  for (RtlUnit& bank : banks_) bank.reset();
}

}  // namespace tributary
