#include "testbench/run/blocks/beat_files.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "testbench/run/facets/blocks.h"
#include "testbench/run/family.h"

namespace tributary {

using Json = nlohmann::ordered_json;

std::unique_ptr<BlockBeats> beats_of(const BlockPlace& place) {
  for (const Family* family : families())
    if (const FamilyBlocks* blocks = family->facets().blocks)
      if (auto beats = blocks->beats(place)) return beats;
  return nullptr;
}

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw OutputError("cannot make the folder '" + folder + "': " + error.message());
}

void BeatFiles::accessed(const BlockAccess& access) {
  if (beats_ == nullptr || !ended_.empty()) return;
  try {
    beats_->accessed(access, *this);
  } catch (const std::invalid_argument& error) {
    end("request " + std::to_string(access.ticket) + ": " + error.what());
  }
}

void BeatFiles::end(const std::string& reason) {
  if (ended_.empty()) ended_ = reason;
}

/// The first unit has its files in the folder of the record, others in folders of their own. A direction with one channel
/// has no name of the channel.
std::string BeatFiles::name_of(const Place& place) const {
  const std::vector<BlockBeats::Channel> channels = beats_->channels();
  const BlockBeats::Channel& channel = channels[place.second];
  const auto alike = std::count_if(channels.begin(), channels.end(),
                                   [&](const BlockBeats::Channel& c) { return c.to_block == channel.to_block; });
  return (place.first == 0 ? "" : "unit" + std::to_string(place.first) + "/") + (channel.to_block ? "requests" : "answers") +
         (alike == 1 ? "" : "_" + channel.name) + ".txt";
}

void BeatFiles::add(unsigned unit, unsigned channel, const std::string& line) {
  std::unique_ptr<File>& file = files_[{unit, channel}];
  if (file == nullptr) {
    if (unit != 0) make_folder(folder_ + "/unit" + std::to_string(unit));
    file = std::make_unique<File>(folder_ + "/" + name_of({unit, channel}));
  }
  file->file.append(line);
  file->hash.append(line);
  ++file->lines;
}

void BeatFiles::finish(nlohmann::ordered_json& record) {
  if (beats_ == nullptr) return;
  if (ended_.empty() || files_.empty()) {
    try {
      beats_->finish(*this);
    } catch (const std::invalid_argument& error) {
      end(error.what());
    }
  }
  Json& beats = record["beats"];
  beats["block"] = beats_->block();
  beats["parameters"] = Json::object();
  for (const auto& [name, value] : beats_->parameters()) beats["parameters"][name] = value;
  beats["time_ps"] = beats_->origin();
  if (!ended_.empty()) beats["ended"] = ended_;
  beats["files"] = Json::array();
  const std::vector<BlockBeats::Channel> channels = beats_->channels();
  for (auto& [place, file] : files_) {
    const BlockBeats::Channel& channel = channels[place.second];
    file->file.close();
    Json one;
    one["file"] = name_of(place);
    one["unit"] = place.first;
    one["channel"] = channel.name;
    one["to_block"] = channel.to_block;
    one["columns"] = Json::array({{{"name", "edge"}, {"bits", 64}}});
    std::uint64_t width = 0;
    for (const BlockBeats::Column& column : channel.columns) {
      one["columns"].push_back({{"name", column.name}, {"bits", column.bits}});
      width += column.bits;
    }
    if (!channel.to_block) one["columns"].push_back({{"name", "mask"}, {"bits", width}});
    one["beats"] = file->lines;
    one["sha256"] = file->hash.finish();
    beats["files"].push_back(std::move(one));
  }
}

}  // namespace tributary
