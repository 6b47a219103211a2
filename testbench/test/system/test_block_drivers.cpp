/// Blocks that are driven alone by the stimulus of each case: taps, shadows, records and their replay.
#include <catch2/catch.hpp>

#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <systemc>

#include "modules/blockcheck/core/block_beats.h"
#include "modules/blockcheck/core/block_shadow.h"
#include "platforms/blink/blocks.h"
#include "platforms/netreduce/blocks.h"
#include "platforms/nvswitch/blocks.h"
#include "platforms/schedule_nic/blocks.h"
#include "testbench/run/blocks/block_recorder.h"
#include "testbench/run/blocks/record_reader.h"
#include "testbench/run/blocks/stimulus/stimulus_source.h"

namespace tributary::test_block_drivers {

using Drive = std::unique_ptr<BlockDriver> (*)(const std::string&, const char*, const BlockFactories*, const FieldValues&);

struct FamilyFunctions {
  Drive drive;
  BlockPlace (*alone)(const std::string&);
  Tick (*clock)(const std::string&, const FieldValues&);
};

FamilyFunctions family_of_block(const std::string& block) {
  if (block.rfind("nvswitch.", 0) == 0) return {drive_nvswitch_block, nvswitch_block_alone, nvswitch_block_clock};
  if (block.rfind("netreduce.", 0) == 0) return {drive_netreduce_block, netreduce_block_alone, netreduce_block_clock};
  if (block.rfind("blink.", 0) == 0) return {drive_blink_block, blink_block_alone, blink_block_clock};
  return {drive_schedule_nic_block, schedule_nic_block_alone, schedule_nic_block_clock};
}

/// Compares each instance with another one of the model's.
struct ComparingTap : BlockTap {
  bool wants(const std::string&) const override { return true; }
  std::shared_ptr<BlockObserver> attach(const BlockPlace& place, const MakeDriver& make) override {
    return shadow = std::make_shared<BlockShadow>(place, make("shadow", nullptr), CompareRule{});
  }
  std::shared_ptr<BlockShadow> shadow;
};

struct RecordingTap : BlockTap {
  explicit RecordingTap(std::filesystem::path to) : folder(std::move(to)) {}
  bool wants(const std::string&) const override { return true; }
  std::shared_ptr<BlockObserver> attach(const BlockPlace& place, const MakeDriver&) override {
    return recorder = std::make_shared<BlockRecorder>(folder.string(), place, "stimulus", 1'000'000, nullptr);
  }
  std::filesystem::path folder;
  std::shared_ptr<BlockRecorder> recorder;
};

/// Factories whose blocks show their transactions to `blocks`' taps.
BlockFactories tapped(const BlockFactories& blocks) {
  BlockFactories all;
  NvSwitchPlatform::Config nvswitch;
  replace_blocks(nvswitch, blocks);
  all.add(reduction_table_slot, nvswitch.make_table);
  all.add(switch_arbiter_slot, nvswitch.make_arbiter);
  NetReducePlatform::Config netreduce;
  replace_blocks(netreduce, blocks);
  const Accelerator::Parts& parts = netreduce.accelerator_parts;
  all.add(connection_lookup_slot, parts.connections);
  all.add(connection_translation_slot, parts.translations);
  all.add(combinator_slot, parts.combinator);
  all.add(payloads_slot, parts.payloads);
  Nic::Parts nic;
  replace_blocks(nic, blocks);
  all.add(schedule_table_slot, nic.table);
  all.add(reduction_unit_slot, nic.reduction_unit);
  StreamGpu::Parts gpu;
  replace_blocks(gpu, blocks);
  all.add(stream_copy_engine_slot, gpu.engine);
  return all;
}

void set(FieldValues& config, const std::string& key, const std::string& text) {
  FieldValue* const value = config.find(key);
  REQUIRE(value != nullptr);
  if (value->kind == FieldValue::Kind::name)
    value->text = text;
  else
    value->number = std::stoull(text);
}

struct Driven {
  StimulusBlock stimulus;
  FieldValues config;
  Tick clock = 0;
  std::shared_ptr<RecordingTap> records;
  std::shared_ptr<ComparingTap> compares;
  std::unique_ptr<BlockDriver> model, observed;
  std::unique_ptr<BlockDriver> fresh = {};  // for the replay: presets of a table survive a reset
};

Driven make_driven(const StimulusBlock& stimulus, const std::filesystem::path& folder) {
  const FamilyFunctions family = family_of_block(stimulus.block);
  Driven d{stimulus, family.alone(stimulus.block).config, 0, {}, {}, {}, {}};
  for (const auto& [key, value] : stimulus.config) set(d.config, key, value);
  d.clock = family.clock(stimulus.block, d.config);
  d.records = std::make_shared<RecordingTap>(folder);
  d.compares = std::make_shared<ComparingTap>();
  BlockFactories taps;
  taps.observe(d.records);
  taps.observe(d.compares);
  std::string name = stimulus.block;
  for (char& c : name) c = c == '.' ? '_' : c;
  const BlockFactories factories = tapped(taps);
  d.model = family.drive(stimulus.block, (name + "_model").c_str(), nullptr, d.config);
  d.fresh = family.drive(stimulus.block, (name + "_fresh").c_str(), nullptr, d.config);
  d.observed = family.drive(stimulus.block, (name + "_tapped").c_str(), &factories, d.config);
  return d;
}

/// Passes a case to both blocks. Returns the number of its transactions.
std::size_t pass(Driven& d, const StimulusCase& one, std::size_t most) {
  const std::unique_ptr<StimulusSource> source = one.make({7, d.clock, d.config});
  BlockAccess asked, model, observed;
  std::size_t count = 0;
  const BlockAccess* before = nullptr;
  for (; count < most && source->next(before, asked); ++count) {
    asked.answer.clear(), model.answer.clear(), observed.answer.clear();
    d.model->access(asked, model);
    model.time = asked.time, model.request = asked.request;
    d.observed->access(model, observed);
    const auto fields = differences(model, observed, {}, d.clock);
    if (!fields.empty()) {
      INFO(d.stimulus.block << " " << one.name << " " << count << ": " << fields[0].field << " " << fields[0].got);
      CHECK(fields.empty());
      return count;
    }
    before = &model;
  }
  return count;
}

/// Replays the record into the model's block. Returns the number of differences.
std::size_t replay(Driven& d) {
  d.records->recorder->finish();
  std::ifstream in(d.records->recorder->folder() + "/transactions.jsonl");
  RecordReader reader(in, "transactions.jsonl");
  d.fresh->reset();
  std::size_t different = 0;
  BlockAccess asked, got;
  for (RecordReader::Line line; (line = reader.next(asked)) != RecordReader::Line::end;) {
    if (line == RecordReader::Line::reset) {
      d.fresh->reset();
      continue;
    }
    got.answer.clear();
    d.fresh->access(asked, got);
    different += differences(asked, got, {}, d.clock).empty() ? 0 : 1;
  }
  CHECK(reader.transactions() == d.records->recorder->transactions());
  return different;
}

TEST_CASE("all cases of all blocks agree with their shadow and replay to themselves", "[block][blockcheck]") {
  const auto scratch = std::filesystem::temp_directory_path() / ("block_drivers." + std::to_string(::getpid()));
  std::vector<Driven> all;
  for (const StimulusBlock& stimulus :
       {table_stimulus(), arbiter_stimulus(), combinator_stimulus(), payload_stimulus(), lookup_stimulus(),
        translation_stimulus(), row_stimulus(), reduction_stimulus(), copy_stimulus()})
    all.push_back(make_driven(stimulus, scratch / stimulus.block));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (Driven& d : all) {
    std::size_t passed = 0;
    for (const StimulusCase& one : d.stimulus.cases) {
      d.model->reset(), d.observed->reset();
      const std::size_t count = pass(d, one, 300);
      INFO(d.stimulus.block << " " << one.name);
      CHECK(count > 0);
      CHECK((one.name == "random") == (count == 300));
      passed += count;
    }
    INFO(d.stimulus.block);
    REQUIRE(d.compares->shadow != nullptr);
    CHECK(d.compares->shadow->compared() == passed);
    CHECK(d.compares->shadow->different() == 0);
    CHECK(d.records->recorder->transactions() == passed);
    CHECK(replay(d) == 0);
  }
  std::filesystem::remove_all(scratch);
}

}  // namespace tributary::test_block_drivers
