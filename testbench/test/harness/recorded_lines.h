#pragma once
/// RecordedLines: writes the transactions of the first instance of a block to a file, as lines of a record.

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "modules/blockcheck/core/block_access.h"
#include "modules/blockcheck/core/record_line.h"
#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/temporary_folder.h"

namespace tributary {

class RecordedLines : public BlockTap {
 public:
  RecordedLines(std::string block, std::string file) : block_(std::move(block)), file_(std::move(file)) {}

  bool wants(const std::string& block) const override { return block == block_; }
  std::shared_ptr<BlockObserver> attach(const BlockPlace&, const MakeDriver&) override {
    return std::exchange(attached_, true) ? nullptr : std::make_shared<Observer>(file_);
  }

 private:
  struct Observer : BlockObserver {
    explicit Observer(const std::string& file) : out(file) {}
    void accessed(const BlockAccess& access) override {
      std::string line;
      append_line(access, line);
      out << line << std::flush;
    }
    std::ofstream out;
  };

  std::string block_;
  std::string file_;
  bool attached_ = false;
};

/// Returns the lines of the first instance of a block in a run.
inline std::string recorded_lines(RunSpec spec, const std::string& block) {
  const TemporaryFolder folder;
  spec.blocks.observe(std::make_shared<RecordedLines>(block, folder.file("lines")));
  run_one(spec);
  std::ostringstream text;
  text << std::ifstream(folder.file("lines")).rdbuf();
  return text.str();
}

}  // namespace tributary
