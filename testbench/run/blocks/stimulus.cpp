#include "testbench/run/blocks/stimulus.h"

#include <algorithm>
#include <cstring>
#include <systemc>

#include "modules/base/field_type.h"
#include "modules/base/nearest.h"
#include "modules/base/text_format.h"
#include "testbench/run/blocks/beat_files.h"
#include "testbench/run/blocks/block_recorder.h"
#include "testbench/run/facets/blocks.h"
#include "testbench/run/family.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

template <class T>
void put(double x, std::byte* at) {
  const T value = static_cast<T>(x);
  std::memcpy(at, &value, sizeof value);
}

void put_element(ElementType type, int x, std::byte* at) {
  switch (type) {
    case ElementType::f64:
      return put<double>(x, at);
    case ElementType::f32:
      return put<float>(x, at);
    case ElementType::f16: {
      const std::uint16_t half = to_f16(static_cast<float>(x));
      return void(std::memcpy(at, &half, sizeof half));
    }
    case ElementType::bf16: {
      const std::uint16_t half = to_bf16(static_cast<float>(x));
      return void(std::memcpy(at, &half, sizeof half));
    }
    case ElementType::i8:
      return put<std::int8_t>(x % 100, at);
    case ElementType::i16:
      return put<std::int16_t>(x, at);
    case ElementType::i32:
      return put<std::int32_t>(x, at);
    case ElementType::i64:
      return put<std::int64_t>(x, at);
  }
}

const StimulusBlock& block_of(const std::string& name) {
  std::vector<std::string> names;
  for (const StimulusBlock& block : stimulus_blocks()) {
    if (block.block == name) return block;
    names.push_back(block.block);
  }
  throw InputError(unknown_name("block with stimulus", name, names));
}

const StimulusCase& case_of(const StimulusBlock& block, const std::string& name) {
  std::vector<std::string> names;
  for (const StimulusCase& one : block.cases) {
    if (one.name == name) return one;
    names.push_back(one.name);
  }
  throw InputError("--case: " + unknown_name("case of " + block.block, name, names));
}

/// Sets a value of a configuration in the form of the field.
void set_value(FieldValues& config, const std::string& key, const std::string& text) {
  FieldValue* const value = config.find(key);
  if (value == nullptr) {
    std::vector<std::string> keys;
    for (const FieldValue& one : config) keys.push_back(one.key);
    throw InputError("--set: " + unknown_name("key of the configuration", key, keys));
  }
  try {
    if (value->kind == FieldValue::Kind::name)
      value->text = text;
    else if (value->kind == FieldValue::Kind::flag)
      value->number = parse_bool(text) ? 1 : 0;
    else
      value->number = parse_count(text, never);
  } catch (const UnitError& error) {
    throw InputError("--set: " + key + ": " + error.what());
  }
}

/// Throws InputError if the requests of a case do not have a value that replaces that of the case.
void check_values(const StimulusSpec& spec, const StimulusBlock& block, const StimulusCase& one) {
  const auto require = [](bool legal, bool given, const char* option, const std::string& why) {
    if (given && !legal) throw InputError(std::string(option) + ": " + why);
  };
  const std::string no_elements = "requests of " + block.block + " have no elements";
  const std::string data = "the data of the case " + one.name + " have a type and an operation";
  require(block.has_elements, spec.type.has_value(), "--dtype", no_elements);
  require(block.has_elements, spec.op.has_value(), "--op", no_elements);
  require(!one.given_data, spec.type.has_value(), "--dtype", data);
  require(!one.given_data, spec.op.has_value(), "--op", data);
  require(block.has_operands, spec.operands.has_value(), "--operands",
          "requests of " + block.block + " have no number of operands");
}

struct Made {
  std::unique_ptr<BlockDriver> driver;
  BlockPlace place;
};

Made make_block(const StimulusSpec& spec, const StimulusBlock& block, const StimulusCase& one) {
  for (const Family* family : families()) {
    const FamilyBlocks* const blocks = family->facets().blocks;
    if (blocks == nullptr) continue;
    BlockPlace place = blocks->alone(spec.block);
    if (place.block.empty()) continue;
    for (const auto& config : {block.config, one.config})
      for (const auto& [key, value] : config) set_value(place.config, key, value);
    for (const std::string& assignment : spec.config) {
      const std::size_t equals = assignment.find('=');
      if (equals == std::string::npos) throw InputError("--set: '" + assignment + "' (legal: KEY=VALUE)");
      set_value(place.config, assignment.substr(0, equals), assignment.substr(equals + 1));
    }
    try {
      Made made{blocks->drive(spec.block, "stimulus", nullptr, place.config), place};
      made.place.clock = blocks->clock(spec.block, place.config);
      return made;
    } catch (const FieldError& error) {
      throw InputError(std::string("--set: ") + one_line(error.what()));
    }
  }
  throw InputError("no family has the block " + spec.block);
}

}  // namespace

std::vector<std::byte> StimulusRandom::elements(ElementType type, std::size_t bytes) {
  std::vector<std::byte> all(bytes);
  const std::size_t size = element_size(type);
  for (std::size_t at = 0; at + size <= bytes; at += size) put_element(type, static_cast<int>(below(2001)) - 1000, &all[at]);
  return all;
}

std::uint64_t config_number(const FieldValues& config, const std::string& key, std::uint64_t otherwise) {
  const FieldValue* const value = config.find(key);
  return value == nullptr || value->kind == FieldValue::Kind::name ? otherwise : value->number;
}

const std::vector<StimulusBlock>& stimulus_blocks() {
  static const std::vector<StimulusBlock> all{
      table_stimulus(),       arbiter_stimulus(), combinator_stimulus(), payload_stimulus(), lookup_stimulus(),
      translation_stimulus(), row_stimulus(),     reduction_stimulus(),  copy_stimulus(),    slot_stimulus(),
      header_stimulus(),      icrc_stimulus(),    access_stimulus()};
  return all;
}

std::uint64_t write_stimulus(const StimulusSpec& spec) {
  const StimulusBlock& block = block_of(spec.block);
  const StimulusCase& one = case_of(block, spec.kind);
  check_values(spec, block, one);
  Made made = make_block(spec, block, one);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const std::unique_ptr<StimulusSource> source =
      one.make({spec.seed, made.place.clock, made.place.config, spec.type, spec.op, spec.operands});
  BlockRecorder recorder(spec.folder, made.place, "stimulus " + one.name, spec.count, beats_of(made.place));
  BlockAccess asked, got;
  const BlockAccess* before = nullptr;
  for (std::uint64_t i = 0; i < spec.count && source->next(before, asked); ++i) {
    asked.answer.clear();
    got.answer.clear();
    made.driver->access(asked, got);
    got.time = asked.time;
    got.ticket = static_cast<std::uint32_t>(i);
    got.request = asked.request;
    recorder.accessed(got);
    before = &got;
  }
  recorder.finish();
  return recorder.transactions();
}

}  // namespace tributary
