#pragma once
/// BeatFiles: the texts with the beats of a record (docs/block_records.md#beats).

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>

#include "modules/blockcheck/core/block_beats.h"
#include "testbench/observe/output_file.h"
#include "testbench/run/blocks/sha256.h"

namespace tributary {

/// Returns the beats of an instance in RTL; null for a block without pins.
std::unique_ptr<BlockBeats> beats_of(const BlockPlace& place);
/// Makes a folder and those above it. Throws OutputError.
void make_folder(const std::string& folder);

/// A file for each channel of each unit of the block. Files are made with their first beat.
class BeatFiles : private BlockBeats::Lines {
 public:
  /// `beats`: null for a block without pins, which has no files.
  BeatFiles(std::string folder, std::unique_ptr<BlockBeats> beats) : folder_(std::move(folder)), beats_(std::move(beats)) {}

  void accessed(const BlockAccess& access);
  /// Later transactions have no beats.
  void end(const std::string& reason);
  /// Closes the files, and adds the key `beats` to record.json. Throws OutputError.
  void finish(nlohmann::ordered_json& record);

 private:
  struct File {
    explicit File(const std::string& path) : file(path) {}
    OutputFile file;
    Sha256 hash;
    std::uint64_t lines = 0;
  };
  using Place = std::pair<unsigned, unsigned>;  // unit, channel

  void add(unsigned unit, unsigned channel, const std::string& line) override;
  std::string name_of(const Place& place) const;

  std::string folder_;
  std::unique_ptr<BlockBeats> beats_;
  std::map<Place, std::unique_ptr<File>> files_;
  std::string ended_;  // reason
};

}  // namespace tributary
