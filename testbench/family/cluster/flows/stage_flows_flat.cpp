/// Activities of flat rings, which cross servers.
#include <algorithm>

#include "testbench/family/cluster/flows/stage_flows.h"

namespace tributary {

using collective::Moment;
using collective::StageWork;

/// Returns true if a flat ring that has entered a server needs a step by NVLink to its own rail: rails that it may not leave
/// have a GPU each, and are too few for a ring that leaves each server by another rail than it has entered.
bool StageFlows::returns_to_rail() const {
  const double rails = links_.group().rails;
  return model_.rails_apart && each() > 1 && rails == each() && rails < 3 && links_.group().shape.servers % 2 != 0;
}

/// Each NIC has a ring of all GPUs, with parts of equal size. A GPU sends a step when it has sent the step before and that
/// of its predecessor has arrived, as a read of the slot shows; GPUs of equal place in all servers and rings are one class.
/// With as many rings as places a GPU has each place in one ring, and sends for them by NVLink one after another. By NVLink
/// a GPU adds while it sends. A NIC sends a sum that the GPU has stored after a read of its operands.
StageFlows::Ids StageFlows::flat(StageWork work, double bytes, const Ids& earlier) {
  const auto places = static_cast<std::size_t>(each());
  const double rings = std::max(1.0, links_.group().rails), ranks = servers() * each(), part = bytes / rings / ranks;
  Ends ends;
  ends.spine = crossing(true);
  Ids now(places, 0), before;
  for (unsigned pass = 0; pass < passes(work); ++pass)
    for (int step = 0; step + 1 < static_cast<int>(ranks); ++step) {
      for (std::size_t place = 0; place < places; ++place) {
        const bool leaves = place + 1 == places && servers() > 1;
        Send s = leaves ? rail_send(part, ends, 1) : Send{part};
        s.members = groups() * servers() * rings;
        if (leaves) s.latency += model_.poll + (adds(work, pass) ? model_.read + adding(part) : 0);
        if (!leaves || returns_to_rail()) cross_server(part, s);
        if (!leaves && rings == each()) s.lane = loads_lane;
        if (work == StageWork::reduce_scatter && step + 2 == static_cast<int>(ranks))
          s.latency += model_.read + adding(part);
        now[place] = send(s, before.empty() ? earlier : Ids{before[(place + places - 1) % places]});
        if (!before.empty()) graph_.after(now[place], before[place], Moment::sent);
      }
      before = now;
    }
  return now;
}

}  // namespace tributary
