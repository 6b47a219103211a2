#pragma once
/// BlockRecorder: writes the transactions of one block as a record (docs/block_records.md).

#include <cstdint>
#include <memory>
#include <string>

#include "modules/blockcheck/core/block_access.h"
#include "testbench/observe/output_file.h"

namespace tributary {

class BeatFiles;
class BlockBeats;

class BlockRecorder : public BlockObserver {
 public:
  static constexpr unsigned format = 1;
  static constexpr std::uint64_t usual_limit = 100'000;

  /// Creates the folder and its files. Throws OutputError. `platform`: name in the record. `beats`: null for a block without
  /// pins.
  BlockRecorder(std::string folder, BlockPlace place, std::string platform, std::uint64_t limit,
                std::unique_ptr<BlockBeats> beats);
  ~BlockRecorder() override;

  void accessed(const BlockAccess& access) override;
  void reset() override;
  /// Writes record.json, and closes the files. Throws OutputError.
  void finish();

  const std::string& folder() const { return folder_; }
  const BlockPlace& place() const { return place_; }
  std::uint64_t transactions() const { return transactions_; }
  /// True if transactions beyond the limit are missing.
  bool cut() const { return cut_; }

 private:
  std::string folder_, platform_;
  BlockPlace place_;
  std::uint64_t limit_;
  std::unique_ptr<OutputFile> file_;
  std::unique_ptr<BeatFiles> beats_;
  std::string line_;
  std::uint64_t transactions_ = 0;
  bool cut_ = false, used_ = false;
};

}  // namespace tributary
