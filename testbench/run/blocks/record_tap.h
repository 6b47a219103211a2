#pragma once
/// RecordTap: records blocks of a run (docs/block_records.md).

#include <memory>
#include <string>
#include <vector>

#include "testbench/run/blocks/block_recorder.h"

namespace tributary {

class RecordTap : public BlockTap {
 public:
  /// Records the first instance that each glob selects: one record in `folder`, several in folders below it, by name.
  RecordTap(std::vector<std::string> globs, std::string folder, std::string platform, std::uint64_t limit);

  bool wants(const std::string&) const override { return true; }
  std::shared_ptr<BlockObserver> attach(const BlockPlace& place, const MakeDriver& make) override;

  const std::vector<std::shared_ptr<BlockRecorder>>& recorders() const { return recorders_; }
  /// Throws SetupError if a glob selects no instance.
  void check() const;
  /// Completes all records.
  void finish();

 private:
  std::vector<std::string> globs_, open_;  // open_: globs without an instance yet
  std::string folder_, platform_;
  std::uint64_t limit_;
  std::vector<std::string> places_;  // all instances
  std::vector<std::shared_ptr<BlockRecorder>> recorders_;
};

}  // namespace tributary
