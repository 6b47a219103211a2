#pragma once
/// LaneProcesses: divides the lanes of a platform among the processes of a group (docs/processes.md).

#include <cstdint>
#include <deque>
#include <vector>

#include "modules/base/host/process_group.h"
#include "modules/timing/completion_relay.h"
#include "modules/timing/lanes.h"

namespace tributary {

/// Every process elaborates all lanes and runs its own: consecutive lanes, equally many in each process.
class LaneProcesses : public LaneTransport {
 public:
  /// `crossings`: by number. Group, lanes, crossings and relay must outlive it.
  LaneProcesses(ProcessGroup& group, Lanes& lanes, const std::deque<LaneCrossing>& crossings, CompletionRelay& relay);

  unsigned owner(unsigned lane) const { return static_cast<unsigned>(std::uint64_t{lane} * group_.size() / lanes_.count()); }
  bool owns(unsigned lane) const override { return owner(lane) == group_.rank(); }
  void exchange() override;
  Tick agree(const std::function<Tick()>& next, LaneFailure& failure) override;

 private:
  void spread(LaneFailure& failure);

  ProcessGroup& group_;
  Lanes& lanes_;
  const std::deque<LaneCrossing>& crossings_;
  CompletionRelay& relay_;
  std::vector<ByteRow> out_, in_;  // by process
};

}  // namespace tributary
