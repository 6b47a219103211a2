#pragma once
/// MonitorTap: checks the answers of blocks in a run (docs/block_checks.md#monitors).

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "modules/blockcheck/core/block_monitor.h"

namespace tributary {

class MonitorTap : public BlockTap {
 public:
  static constexpr Tick usual_latency = 1'000'000'000;  ///< 1 ms

  /// `blocks`: names of blocks; none: all blocks. `most`: longest interval or latency.
  MonitorTap(std::vector<std::string> blocks, Tick most) : blocks_(std::move(blocks)), most_(most) {}

  bool wants(const std::string& block) const override;
  std::shared_ptr<BlockObserver> attach(const BlockPlace& place, const MakeDriver&) override {
    return std::make_shared<BlockMonitor>(place, most_);
  }

 private:
  std::vector<std::string> blocks_;
  Tick most_;
};

}  // namespace tributary
