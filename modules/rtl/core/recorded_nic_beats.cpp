#include <algorithm>
#include <stdexcept>
#include <utility>

#include "modules/base/field_type.h"
#include "modules/nic/core/reduction_unit_pins.h"
#include "modules/nic/core/schedule_table_pins.h"
#include "modules/rtl/core/recorded_beats.h"
#include "modules/rtl/core/reduction_unit_beats.h"
#include "modules/rtl/core/schedule_table_beats.h"

namespace tributary {
namespace {

std::uint64_t count_at(const BlockPlace& place, const char* key) {
  return parse_count(config_text(place, key), std::uint64_t{1} << 40);
}

/// Software writes rows in no time. In RTL each takes a clock, by which all later edges move.
class RecordedRows : public RecordedBeats {
 public:
  explicit RecordedRows(const BlockPlace& place)
      : RecordedBeats(schedule_table_pins(), place.clock), read_(parse_time(config_text(place, "table.read")).value) {}

 private:
  void convert(const BlockAccess& access) override {
    const std::uint64_t row = access.request.find("row")->number;
    const std::byte* const written = data_of(access.request, "data");
    const bool writes = access.request.find("command")->text == "write";
    if (access.answer.find("response")->text != "ok") return;  // a row that does not exist
    if (writes != (written != nullptr)) throw std::invalid_argument("a row without data");
    if (access.request.find("bytes")->number != ScheduleTableBeats::row_bytes)
      throw std::invalid_argument("an access that is not one of a row of 25 B");
    const std::uint64_t takes =
        writes ? 1 : std::max<std::uint64_t>(1, clocks(read_ + access.interval - access.early.interval));
    const std::uint64_t start =
        send(0, 0, edge_at(access.time) + moved_, {row_request_beat(channel(0), row, written)}, takes);
    if (writes) return void(++moved_);
    const std::byte* const read = data_of(access.answer, "data");
    if (read != nullptr)
      expect(0, 1, start + clocks(read_ + access.latency - access.early.latency), {row_beat(channel(1), read)});
  }

  Tick read_;  // nominal time of a row
  std::uint64_t moved_ = 0;
};

/// Unit 0 has the data of packets, which are added in no time: their passes follow one another. Unit 1 has the passes of
/// chunks, which determine the times; they have no data.
class RecordedPasses : public RecordedBeats {
 public:
  explicit RecordedPasses(const BlockPlace& place)
      : RecordedBeats(reduction_unit_pins(), place.clock),
        units_(count_at(place, "reduction.units")),
        width_(count_at(place, "reduction.width")),
        cycles_(static_cast<unsigned>(count_at(place, "reduction.cycles"))) {}

 private:
  enum Units : unsigned { of_data, of_chunks };

  bool determine(const std::vector<BlockAccess>&, bool, PinParameters& parameters) override {
    parameters["UNITS"] = units_;
    parameters["WIDTH"] = width_;
    return true;
  }
  void convert(const BlockAccess& access) override {
    ReductionPass pass;
    const FieldValues& request = access.request;
    pass.type = FieldType<ElementType>::parse(request.find("type")->text);
    pass.op = FieldType<ReduceOp>::parse(request.find("op")->text);
    const std::byte* const sum = data_of(request, "sum");
    const std::byte* const data = data_of(request, "data");
    if (data != nullptr && element_size(pass.type) != 4)
      throw std::invalid_argument("elements of " + std::to_string(8 * element_size(pass.type)) + " bits (legal: 32)");
    const std::byte* const result = data_of(access.answer, "sum");
    const std::uint64_t elements = request.find("elements")->number, most = units_ * width_;
    const unsigned unit = data != nullptr ? of_data : of_chunks;
    // Elements are divided among the units first: a pass ends when the fullest unit has added `width`.
    const std::uint64_t passes = ((elements + units_ - 1) / units_ + width_ - 1) / width_;
    std::uint64_t edge = data != nullptr ? 0 : edge_at(access.time);
    for (std::uint64_t p = 0; p < passes; ++p, edge += cycles_) {
      const std::uint64_t at = std::min(elements, p * most);
      pass.elements = std::min(elements - at, most);
      pass.last = p + 1 == passes;
      if (data != nullptr) pass.sum = sum + at * 4, pass.data = data + at * 4;
      const std::uint64_t start = send(unit, 0, edge, {pass_beat(channel(0), pass)}, cycles_);
      expect(unit, 1, start + cycles_ + (data != nullptr ? 0 : clocks(access.latency)),
             {sums_beat(channel(1), pass.elements, result == nullptr ? nullptr : result + at * 4, pass.last)});
    }
  }

  std::uint64_t units_, width_;
  unsigned cycles_;
};

}  // namespace

std::unique_ptr<BlockBeats> recorded_nic_beats(const BlockPlace& place) {
  if (place.block == schedule_table_pins().slot) return std::make_unique<RecordedRows>(place);
  if (place.block == reduction_unit_pins().slot) return std::make_unique<RecordedPasses>(place);
  return nullptr;
}

}  // namespace tributary
