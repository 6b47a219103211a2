#pragma once
/// MonitorTap: checks the answers of blocks in a run (docs/block_checks.md#monitors).

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "modules/blockcheck/core/block_access.h"

namespace tributary {

class MonitorTap : public BlockTap {
 public:
  static constexpr Tick usual_latency = 1'000'000'000;  ///< 1 ms

  /// `blocks`: names of blocks; none: all blocks. `most`: longest interval or latency.
  MonitorTap(std::vector<std::string> blocks, Tick most) : blocks_(std::move(blocks)), most_(most) {}

  bool wants(const std::string& block) const override;
  std::shared_ptr<BlockObserver> attach(const BlockPlace&, const MakeDriver&) override { return nullptr; }
  std::optional<Tick> monitors() const override { return most_; }
  void add(std::shared_ptr<BlockMonitor> monitor) override { monitors_.push_back(std::move(monitor)); }
  void end(Tick now, bool complete) override;

 private:
  std::vector<std::string> blocks_;
  Tick most_;
  std::vector<std::shared_ptr<BlockMonitor>> monitors_;
};

}  // namespace tributary
