#include "modules/rtl/core/reduction_unit_beats.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "modules/base/element_limits.h"
#include "modules/nic/core/reduction_unit_pins.h"

namespace tributary {
namespace {

enum Channel : unsigned { request, answer };
enum Request : unsigned { sums, operands, keep, element_type, operation };
enum Answered : unsigned { result };

}  // namespace

RtlBeat pass_beat(const BeatLayout& in, const ReductionPass& pass) {
  RtlBeat beat = in.make_beat();
  beat.last = pass.last;
  if (pass.data != nullptr) {
    std::memcpy(in.bytes(beat, sums), pass.sum, pass.elements * 4);
    std::memcpy(in.bytes(beat, operands), pass.data, pass.elements * 4);
  }
  for (std::uint64_t i = 0; i < pass.elements; ++i) {
    std::uint8_t& byte = in.bytes(beat, keep)[i / 8];
    byte = static_cast<std::uint8_t>(byte | 1u << (i % 8));
  }
  in.set(beat, element_type, static_cast<std::uint64_t>(pass.type));
  in.set(beat, operation, static_cast<std::uint64_t>(pass.op));
  return beat;
}

ExpectedBeat sums_beat(const BeatLayout& out, std::uint64_t elements, const std::byte* sum, bool last) {
  ExpectedBeat beat(out);
  beat.beat.last = last;
  if (sum != nullptr) beat.set_bytes(out, result, 0, sum, elements * 4);
  return beat;
}

ReductionUnitBeats::ReductionUnitBeats(const std::string& name, const RtlBlock& block, const NicParams& params)
    : units_(parameter(reduction_unit_pins(), block, "UNITS")),
      width_(parameter(reduction_unit_pins(), block, "WIDTH")),
      nominal_(params.reduction, params.clock),
      times_(name, reduction_unit_pins(), block, params.clock.value),
      data_(name, reduction_unit_pins(), block, params.clock.value) {}

void ReductionUnitBeats::require_last(const RtlUnit& unit, std::uint64_t passes) {
  for (unsigned p = 0; p < passes; ++p)
    unit.require(unit.answer(p).last == (p + 1 == passes), wrong_last(p, passes, unit.answer(p).last));
}

AccessTime ReductionUnitBeats::add(Tick now, std::uint64_t elements, ElementType type, ReduceOp op) {
  require_element(times_.name(), times_.block(), type, op);
  const std::uint64_t passes = passes_of(elements, units_, width_);
  times_.begin(now);
  for (std::uint64_t p = 0; p < passes; ++p) {
    const std::uint64_t left = elements - std::min(elements, p * units_ * width_);
    const ReductionPass pass{std::min(left, units_ * width_), type, op, nullptr, nullptr, p + 1 == passes};
    times_.offer(request, pass_beat(times_.channel(request), pass), p);
  }
  times_.run(answer, static_cast<unsigned>(passes), "a chunk of " + std::to_string(elements) + " elements");
  const unsigned last = static_cast<unsigned>(passes) - 1;
  require_last(times_, passes);
  const auto beyond = [&](std::uint64_t edge, Tick& early) {
    return beyond_nominal(times_.clock().time_of(edge) - now, nominal_.time(elements), early);
  };
  early_ = {};
  if (passes == 0) return {};
  return {beyond(times_.answered(last), early_.latency), beyond(times_.free_at(), early_.interval)};
}

void ReductionUnitBeats::combine(std::byte* sum, const std::byte* data, std::uint64_t elements, ElementType type,
                                 ReduceOp op) {
  check_elements(type, op);
  early_ = {};
  const std::uint64_t most = units_ * width_;
  data_.begin(0);
  std::uint64_t passes = 0;
  for (std::uint64_t at = 0; at < elements; at += most, ++passes) {
    const ReductionPass pass{std::min(most, elements - at), type, op, sum + at * 4, data + at * 4, at + most >= elements};
    data_.offer(request, pass_beat(data_.channel(request), pass), passes);
  }
  data_.run(answer, static_cast<unsigned>(passes), "the data of a packet");
  require_last(data_, passes);
  for (std::uint64_t p = 0; p < passes; ++p)
    std::memcpy(sum + p * most * 4, data_.channel(answer).bytes(data_.answer(static_cast<unsigned>(p)), result),
                std::min(most, elements - p * most) * 4);
  data_.end_in_no_time();
}

void ReductionUnitBeats::check_elements(ElementType type, ReduceOp op) const {
  require_elements(times_.name(), times_.block(), type, op);
}

void ReductionUnitBeats::require_elements(const std::string& name, const RtlBlock& block, ElementType type, ReduceOp op) {
  require_element(name, block, type, op);
  if (element_size(type) != 4) throw UnfitBlock(name + ": a reduction unit in RTL has elements of 32 bits");
}

void ReductionUnitBeats::reset() {
  times_.reset();
  data_.reset();
}

}  // namespace tributary
