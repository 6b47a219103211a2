#include "testbench/run/one_lane.h"

#include <algorithm>

#include "modules/blockcheck/core/block_access.h"
#include "testbench/run/family.h"
#include "testbench/run/run_spec.h"

namespace tributary {
namespace {

/// Returns the observers of blocks that record in one place. Monitors have state of their own.
std::string observers_of_blocks(const RunSpec& spec) {
  if (!spec.shadows.empty()) return "--shadow compares the blocks of all devices, in their order";
  if (spec.block_records) return "--record-block chooses among the blocks of all devices";
  if (spec.rtl_traces) return "--trace-rtl writes the signals of blocks in their order";
  const auto is_monitor = [](const auto& tap) { return tap->monitors().has_value(); };
  const auto& taps = spec.blocks.taps();
  return std::all_of(taps.begin(), taps.end(), is_monitor) ? "" : "observed blocks may share state among devices";
}

}  // namespace

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
  if (const std::string why = observers_of_blocks(spec); !why.empty()) return why;
  if (!family_of(spec.platform).has_lanes()) return "the devices of " + spec.platform.name() + " are not divided into lanes";
  return "";
}

}  // namespace tributary
