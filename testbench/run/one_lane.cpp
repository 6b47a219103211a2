#include "testbench/run/one_lane.h"

#include "testbench/run/family.h"
#include "testbench/run/run_spec.h"

namespace tributary {

// These observers order the events of all devices; lanes fire their probes at the same time.
std::string one_lane_because(const RunSpec& spec) {
  if (spec.mode == SimulationMode::event) return "--mode event wakes one device after another";
  if (spec.mode == SimulationMode::fluid) return "--mode fluid has no packets";
  if (spec.trace.block) return "--trace-block follows a block through all devices";
  if (!spec.trace.file.empty()) return "--vcd orders the changes of all signals";
  if (!spec.capture.file.empty()) return "--pcap orders the frames of all links";
  if (spec.record.timeline.asked()) return "a timeline orders the events of all devices";
  if (spec.record.page) return "--html records all devices over time";
  if (spec.wire_latency) return "--wire-latency follows packets by their storage";
  if (!spec.blocks.names().empty() || !spec.blocks.taps().empty())
    return "replaced and observed blocks may share state among devices";
  if (!family_of(spec.platform).has_lanes()) return "the devices of " + spec.platform.name() + " are not divided into lanes";
  return "";
}

}  // namespace tributary
