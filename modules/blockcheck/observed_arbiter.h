#pragma once
/// ObservedArbiter: passes the calls of a crossbar to its arbiter, and shows them to a monitor and to observers.
/// ArbiterDriver: passes calls that are made from values to an arbiter.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "modules/blockcheck/core/observed_block.h"
#include "modules/switching/core/arbiter_fields.h"
#include "modules/switching/core/arbiter_monitor.h"

namespace tributary {

/// A choice that is repeated before a grant is shown once, for the crossbar may ask for it in any number of wake-ups.
class ObservedArbiter : public CrossbarArbiter {
 public:
  /// `monitor`: null if the answers are not checked.
  ObservedArbiter(const CrossbarArbiterConfig& config, std::unique_ptr<CrossbarArbiter> own, BlockObservers observers,
                  std::shared_ptr<ArbiterMonitor> monitor)
      : fields_(config), own_(std::move(own)), observed_(std::move(observers)), monitor_(std::move(monitor)) {}

  std::size_t choose(unsigned output, const std::vector<Request>& requests, Tick now) override;
  void granted(unsigned output, const Request& request, Tick now) override;
  void reset() override;
  void describe(ProbeDirectory& directory, const std::string& prefix) override;

 private:
  bool shown(unsigned output, const std::vector<Request>& requests, Tick now) const;
  void show(Tick now);

  ArbiterFields fields_;
  std::unique_ptr<CrossbarArbiter> own_;
  ObservedBlock observed_;
  std::shared_ptr<ArbiterMonitor> monitor_;
  ArbiterCall call_;
  Tick asked_ = never;  // time of call_
};

class ArbiterDriver : public BlockDriver {
 public:
  /// `name`: of the driver, for probes.
  ArbiterDriver(std::string name, const CrossbarArbiterConfig& config, std::unique_ptr<CrossbarArbiter> arbiter)
      : name_(std::move(name)), fields_(config), arbiter_(std::move(arbiter)) {}

  void access(const BlockAccess& asked, BlockAccess& got) override;
  void reset() override { arbiter_->reset(); }
  void describe(ProbeDirectory& directory) override;

 private:
  std::string name_;
  ArbiterFields fields_;
  std::unique_ptr<CrossbarArbiter> arbiter_;
  FieldValues values_;
};

}  // namespace tributary
