#include <limits>
#include <utility>

#include "modules/base/field_type.h"
#include "testbench/run/blocks/stimulus/stimulus_source.h"

namespace tributary {
namespace {

using Make = std::function<std::unique_ptr<StimulusSource>(const StimulusInput&)>;

constexpr unsigned row_bytes = 25;

struct Row {
  bool writes = false;
  std::uint64_t row = 0;
};

/// Returns the text of a value of the configuration; empty without one.
std::string config_text(const FieldValues& config, const char* key) {
  const FieldValue* const value = config.find(key);
  return value == nullptr ? "" : value->text;
}

std::uint64_t config_count(const FieldValues& config, const char* key) {
  return parse_count(config_text(config, key), std::numeric_limits<std::uint32_t>::max());
}

/// A NIC requests a row when the one before is read.
Make rows(std::size_t count, std::function<Row(std::size_t i, std::uint64_t rows, StimulusRandom& random)> row) {
  return [=](const StimulusInput& input) -> std::unique_ptr<StimulusSource> {
    auto random = std::make_shared<StimulusRandom>(input.seed);
    const std::uint64_t all = config_number(input.config, "table_entries", 32);
    const Tick read = std::max(input.clock, parse_time(config_text(input.config, "table.read")).value);
    auto after = std::make_shared<Tick>(0);
    return std::make_unique<ListedStimulus>(count, [=](std::size_t i, RequestFields& request) {
      const Row x = row(i, all, *random);
      request.name("command", x.writes ? "write" : "read").number("row", x.row).number("bytes", row_bytes);
      request.flag("with_data", true);
      if (x.writes) request.data("data", random->bytes(row_bytes));
      return std::exchange(*after, x.writes ? input.clock : read);
    });
  };
}

struct Chunk {
  std::uint64_t elements = 1;
  ElementType type = ElementType::f32;
  ReduceOp op = ReduceOp::sum;
  bool with_data = true;
  Tick gap = 0;  ///< cycles after the passes of the chunk before
};

/// Returns the cycles of a chunk: passes of `width` elements in each unit.
std::uint64_t pass_cycles(const FieldValues& config, std::uint64_t elements) {
  const std::uint64_t units = config_count(config, "reduction.units"), width = config_count(config, "reduction.width");
  return ((elements + units - 1) / units + width - 1) / width * config_count(config, "reduction.cycles");
}

std::string name_of(ElementType type) { return FieldType<ElementType>::print(type); }
std::string name_of(ReduceOp op) { return FieldType<ReduceOp>::print(op); }

/// A NIC passes a chunk to its unit when the passes of the one before are over, and data in no time.
Make chunks(std::size_t count, std::function<Chunk(std::size_t i, StimulusRandom& random)> chunk) {
  return [=](const StimulusInput& input) -> std::unique_ptr<StimulusSource> {
    auto random = std::make_shared<StimulusRandom>(input.seed);
    auto after = std::make_shared<Tick>(0);
    return std::make_unique<ListedStimulus>(count, [=](std::size_t i, RequestFields& request) {
      Chunk x = chunk(i, *random);
      x.type = input.type.value_or(x.type);
      x.op = input.op.value_or(x.op);
      const std::size_t bytes = x.elements * element_size(x.type);
      request.number("elements", x.elements).name("type", name_of(x.type)).name("op", name_of(x.op));
      if (x.with_data) request.data("sum", random->elements(x.type, bytes)).data("data", random->elements(x.type, bytes));
      const Tick busy = x.with_data ? 0 : pass_cycles(input.config, x.elements) * input.clock;
      return std::exchange(*after, busy) + x.gap * input.clock;
    });
  };
}

}  // namespace

StimulusBlock row_stimulus() {
  StimulusBlock all{"schedule_nic.nic.table", {{"table_entries", "32"}}, {}};
  all.cases.push_back({"random", "all rows are written, then rows are read and written",
                       rows(endless, [](std::size_t i, std::uint64_t n, StimulusRandom& r) {
                         return i < n ? Row{true, i} : Row{r.one_in(4), r.below(n)};
                       })});
  all.cases.push_back(
      {"single_row", "one row is written and read", rows(2, [](std::size_t i, std::uint64_t, StimulusRandom&) {
         return Row{i == 0, 0};
       })});
  all.cases.push_back(
      {"last_row", "the last row, and the one beyond it", rows(4, [](std::size_t i, std::uint64_t n, StimulusRandom&) {
         return Row{i % 2 == 0, n - 1 + i / 2};
       })});
  all.cases.push_back({"read_while_write", "a row is read in the cycle after each write to it",
                       rows(16, [](std::size_t i, std::uint64_t, StimulusRandom&) {
                         return Row{i % 2 == 0, 3};
                       })});
  return all;
}

StimulusBlock reduction_stimulus() {
  StimulusBlock all{"schedule_nic.nic.reduction", {}, {}, true};
  all.cases.push_back({"random", "chunks with and without data", chunks(endless, [](std::size_t, StimulusRandom& r) {
                         return Chunk{1 + r.below(200), ElementType::i32, ReduceOp::sum, !r.one_in(3), r.below(4)};
                       })});
  all.cases.push_back({"one_element", "a chunk of one element", chunks(2, [](std::size_t i, StimulusRandom&) {
                         return Chunk{1, ElementType::f32, ReduceOp::sum, i == 0};
                       })});
  all.cases.push_back({"shorter_than_a_pass", "a chunk that does not fill a pass, between two that do",
                       chunks(3, [](std::size_t i, StimulusRandom&) {
                         return Chunk{i == 1 ? 100u : 16384u, ElementType::f32, ReduceOp::sum, false};
                       })});
  all.cases.push_back({"types_and_ops", "all types and operations", chunks(24, [](std::size_t i, StimulusRandom&) {
                         return Chunk{32, static_cast<ElementType>(i / 3), static_cast<ReduceOp>(i % 3)};
                       })});
  all.cases.push_back({"back_to_back", "chunks that wait for each other", chunks(8, [](std::size_t, StimulusRandom&) {
                         return Chunk{5 * 16384, ElementType::f32, ReduceOp::sum, false};
                       })});
  return all;
}

}  // namespace tributary
