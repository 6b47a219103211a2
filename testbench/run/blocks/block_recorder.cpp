#include "testbench/run/blocks/block_recorder.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "modules/blockcheck/core/record_line.h"
#include "testbench/run/blocks/beat_files.h"

namespace tributary {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const FieldValues& values) {
  Json all = Json::object();
  for (const FieldValue& value : values) {
    Json& json = all[value.key];
    if (value.kind == FieldValue::Kind::name)
      json = value.text;
    else if (value.kind == FieldValue::Kind::flag)
      json = value.number != 0;
    else if (value.kind == FieldValue::Kind::time && value.number == never)
      json = nullptr;
    else
      json = value.number;
  }
  return all;
}

}  // namespace

BlockRecorder::BlockRecorder(std::string folder, BlockPlace place, std::string platform, std::uint64_t limit,
                             std::unique_ptr<BlockBeats> beats)
    : folder_(std::move(folder)),
      platform_(std::move(platform)),
      place_(std::move(place)),
      limit_(limit),
      beats_(std::make_unique<BeatFiles>(folder_, std::move(beats))) {
  make_folder(folder_);
  file_ = std::make_unique<OutputFile>(folder_ + "/transactions.jsonl");
}

BlockRecorder::~BlockRecorder() = default;

void BlockRecorder::accessed(const BlockAccess& access) {
  used_ = true;
  if (transactions_ == limit_) return void(cut_ = true);
  ++transactions_;
  line_.clear();
  append_line(access, line_);
  file_->append(line_);
  beats_->accessed(access);
}

/// The first message begins with a block that is new.
void BlockRecorder::reset() {
  if (!used_ || cut_) return;
  file_->append("{\"reset\":true}\n");
  beats_->end("the record has several messages, and beats are those of the first");
}

void BlockRecorder::finish() {
  file_->close();
  Json record;
  record["format"] = format;
  record["tributary"] = TRIBUTARY_VERSION;
  record["block"] = place_.block;
  record["place"] = place_.name;
  record["platform"] = platform_;
  record["clock_ps"] = place_.clock;
  record["config"] = json_of(place_.config);
  record["transactions"] = transactions_;
  record["complete"] = !cut_;
  beats_->finish(record);
  OutputFile file(folder_ + "/record.json");
  file.append(record.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  file.close();
}

}  // namespace tributary
