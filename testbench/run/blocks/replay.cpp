#include "testbench/run/blocks/replay.h"

#include <deque>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <systemc>

#include "modules/base/nearest.h"
#include "modules/base/text_format.h"
#include "modules/blockcheck/core/record_line.h"
#include "platforms/block_factories.h"
#include "testbench/run/facets/blocks.h"
#include "testbench/run/family.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

std::string content_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw InputError("cannot read '" + file + "' (legal: the folder of `tributary run --record`)");
  return text.str();
}

struct Driven {
  std::unique_ptr<BlockDriver> driver;
  const FamilyBlocks* blocks;
};

/// Returns the driver of the block of a record, and the blocks of its family.
Driven driver_of(const RecordHeader& header, const BlockFactories* factories, const std::string& file,
                 const std::string& name) {
  try {
    for (const Family* family : families())
      if (const FamilyBlocks* blocks = family->facets().blocks)
        if (auto driver = blocks->drive(header.place.block, name.c_str(), factories, header.place.config))
          return {std::move(driver), blocks};
  } catch (const FieldError& error) {
    throw InputError(file + ": key `config`: " + one_line(error.what()));
  }
  if (factories != nullptr)
    throw InputError("the plugin has no block " + header.place.block + " (it has " + join_names(factories->names(), "and") +
                     ")");
  throw InputError(file + ": key `block`: no block " + one_line(header.place.block) + " can be replayed");
}

/// Returns the block under a driver. `option`: the option that requires a block in RTL.
StallableBlock& block_in_rtl(const std::string& driver, const char* option) {
  auto* const block = dynamic_cast<StallableBlock*>(sc_core::sc_find_object((driver + ".block").c_str()));
  if (block == nullptr)
    throw InputError(std::string(option) + ": the block has no pins (legal: a block in RTL, docs/rtl.md)");
  return *block;
}

/// The block under test with random values in its registers, next to the block whose answers it must give.
class SeededBlock {
 public:
  SeededBlock(const RecordHeader& header, const ReplaySpec& spec, std::uint64_t seed, const std::string& file) {
    answers_.seed = seed;
    const std::string name = "replay_seed" + std::to_string(seed);
    try {
      driver_ = driver_of(header, spec.seeded[seed - 1], file, name).driver;
    } catch (const std::logic_error& error) {
      throw std::runtime_error(file + ": the block with random registers of seed " + std::to_string(seed) + ": " +
                               one_line(error.what()));
    }
    StallableBlock& block = block_in_rtl(name, "--x-seeds");
    if (spec.stalls.percent != 0) block.stall(spec.stalls);
  }

  const SeededAnswers& answers() const { return answers_; }
  void reset() {
    driver_->reset();
    failed_ = false;
  }
  void pass(const BlockAccess& asked, BlockAccess expected, Tick clock, const std::string& request) {
    if (failed_) return;
    got_.time = asked.time;
    got_.answer.clear();
    expected.request = asked.request;
    std::vector<FieldDifference> fields;
    try {
      driver_->access(asked, got_);
      fields = differences(expected, got_, CompareRule{}, clock);
    } catch (const std::exception& error) {
      failed_ = true;
      fields = {{"error", "-", one_line(error.what())}};
    }
    if (fields.empty() || answers_.different++ != 0) return;
    answers_.first = BlockShadow::First{asked.time, asked.ticket, request, std::move(fields), ""};
  }

 private:
  std::unique_ptr<BlockDriver> driver_;
  SeededAnswers answers_;
  BlockAccess got_;
  bool failed_ = false;  // receives nothing more until its reset
};

/// Returns the fields of a request without its data, which are hexadecimal texts in a record.
std::string short_text(const FieldValues& request) {
  FieldValues fields;
  std::vector<std::byte> bytes;
  for (const FieldValue& value : request)
    if (value.kind != FieldValue::Kind::name || !from_hex(value.text, bytes)) fields.add(value.key, value.kind) = value;
  return fields_text(fields);
}

class Replay {
 public:
  Replay(const ReplaySpec& spec, const FamilyBlocks* blocks, RecordReader& reader, std::deque<SeededBlock>& seeded,
         ReplayResult& result)
      : spec_(spec), blocks_(blocks), reader_(reader), seeded_(seeded), result_(result) {}

  void run(BlockDriver& driver) {
    BlockAccess asked, got;
    for (RecordReader::Line line; (line = reader_.next(asked)) != RecordReader::Line::end;) {
      if (line == RecordReader::Line::reset)
        reset(driver);
      else
        pass(driver, asked, got);
    }
    for (const SeededBlock& block : seeded_) result_.seeded.push_back(block.answers());
    result_.transactions = reader_.transactions();
    if (settings_.size() == 1) result_.setting = *settings_.begin();
  }

 private:
  void reset(BlockDriver& driver) {
    driver.reset();
    for (SeededBlock& block : seeded_) block.reset();
  }
  void pass(BlockDriver& driver, const BlockAccess& asked, BlockAccess& got) {
    got.time = asked.time;
    got.answer.clear();
    try {
      driver.access(asked, got);
    } catch (const FieldError& error) {
      throw InputError(reader_.position() + ": " + one_line(error.what()));
    } catch (const std::exception& error) {
      const std::string what = reader_.position() + ": the block: " + one_line(error.what());
      if (spec_.factories == nullptr) throw InputError(what);  // the model refuses what no device requests
      throw std::runtime_error(what);
    }
    for (SeededBlock& block : seeded_) block.pass(asked, got, result_.place.clock, short_text(asked.request));
    result_.times.add(got.signed_interval(), got.signed_latency());
    note_setting(asked, got);
    std::vector<FieldDifference> fields = differences(asked, got, spec_.rule, result_.place.clock);
    if (fields.empty()) return;
    if (result_.different++ == 0)
      result_.first = BlockShadow::First{asked.time, asked.ticket, short_text(asked.request), std::move(fields), ""};
  }

  /// The request is that of the record.
  void note_setting(const BlockAccess& asked, const BlockAccess& got) {
    if (blocks_ == nullptr || settings_.size() > 1) return;
    BlockAccess measured;
    measured.request = asked.request;
    measured.interval = got.interval;
    measured.latency = got.latency;
    measured.early = got.early;
    if (auto setting = blocks_->setting(result_.place, measured)) settings_.insert(std::move(*setting));
  }

  const ReplaySpec& spec_;
  const FamilyBlocks* blocks_;  // null: the times do not matter
  RecordReader& reader_;
  std::deque<SeededBlock>& seeded_;
  ReplayResult& result_;
  std::set<std::string> settings_;  // different ones
};

}  // namespace

ReplayResult replay(const ReplaySpec& spec) {
  const std::string header_file = spec.folder + "/record.json", file = spec.folder + "/transactions.jsonl";
  const RecordHeader header = parse_record_header(content_of(header_file), header_file);
  std::ifstream in(file, std::ios::binary);
  if (!in) throw InputError("cannot read '" + file + "' (legal: the folder of `tributary run --record`)");
  const auto [driver, blocks] = driver_of(header, spec.factories, header_file, "replay");
  if (driver->answers_later())
    throw InputError(
        "--block: the block answers in the kernel's time, which a replay does not have (legal: tributary_rtl_block without "
        "SC)");
  if (spec.stalls.percent != 0) block_in_rtl("replay", "--stall").stall(spec.stalls);
  std::deque<SeededBlock> seeded;
  for (std::uint64_t seed = 1; seed <= spec.seeded.size(); ++seed) seeded.emplace_back(header, spec, seed, header_file);
  if (spec.rtl_traces != nullptr) spec.rtl_traces->check();
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  ReplayResult result;
  result.place = header.place;
  result.times = MeasuredTimes(header.place.clock);
  RecordReader reader(in, file);
  const bool measures = spec.factories != nullptr && spec.stalls.percent == 0;
  Replay(spec, measures ? blocks : nullptr, reader, seeded, result).run(*driver);
  if (result.transactions != header.transactions)
    throw InputError(file + " has " + std::to_string(result.transactions) + " transactions, but key `transactions` of " +
                     header_file + " is " + std::to_string(header.transactions));
  return result;
}

}  // namespace tributary
