#include "modules/rtl/core/schedule_table_beats.h"

#include <cstring>
#include <utility>

#include "modules/nic/core/schedule_table_pins.h"

namespace tributary {
namespace {

enum Channel : unsigned { request, answer };
enum Request : unsigned { writes, row_number, wdata };
enum Answered : unsigned { rdata };

}  // namespace

RtlBeat row_request_beat(const BeatLayout& in, std::uint64_t number, const std::byte* row) {
  RtlBeat beat = in.make_beat();
  in.set(beat, writes, row != nullptr);
  in.set(beat, row_number, number);
  if (row != nullptr) std::memcpy(in.bytes(beat, wdata), row, ScheduleTableBeats::row_bytes);
  return beat;
}

ExpectedBeat row_beat(const BeatLayout& out, const std::byte* row) {
  ExpectedBeat beat(out);
  beat.set_bytes(out, rdata, 0, row, ScheduleTableBeats::row_bytes);
  return beat;
}

ScheduleTableBeats::ScheduleTableBeats(const std::string& name, const RtlBlock& block, const NicParams& params)
    : rows_(rows_of(block)),
      nominal_(params.table.read.value),
      unit_(name, schedule_table_pins(), block, params.clock.value) {}

std::uint64_t ScheduleTableBeats::rows_of(const RtlBlock& block) {
  const auto rows = block.parameters.find("ROWS");
  return rows != block.parameters.end() ? rows->second : 65536;
}

ScheduleTableBeats::Answer ScheduleTableBeats::write(std::uint64_t address, const std::byte* row, std::uint64_t bytes,
                                                     Tick now) {
  if (!holds(address, bytes)) return {false};
  unit_.begin(now);
  unit_.offer(request, row_request_beat(unit_.channel(request), address / row_bytes, row));
  unit_.run(answer, 0, "the write of row " + std::to_string(address / row_bytes));
  unit_.end_in_no_time();
  early_ = {};
  return {true};
}

ScheduleTableBeats::Answer ScheduleTableBeats::read(std::uint64_t address, std::byte* row, std::uint64_t bytes, Tick now) {
  if (!holds(address, bytes)) return {false};
  unit_.begin(now);
  unit_.offer(request, row_request_beat(unit_.channel(request), address / row_bytes, nullptr));
  unit_.run(answer, 1, "the read of row " + std::to_string(address / row_bytes));
  std::memcpy(row, unit_.channel(answer).bytes(unit_.answer(0), rdata), row_bytes);
  const auto beyond = [&](std::uint64_t edge, Tick& early) {
    return beyond_nominal(unit_.clock().time_of(edge) - now, nominal_, early);
  };
  return {true, {beyond(unit_.answered(0), early_.latency), beyond(unit_.free_at(), early_.interval)}};
}

}  // namespace tributary
