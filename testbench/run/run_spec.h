#pragma once
/// RunSpec and ResultRow: the input and output of a run, shared by the command line, the session that simulates, and the
/// reports.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/element.h"
#include "modules/base/host/process_group.h"
#include "modules/base/units.h"
#include "platforms/block_factories.h"
#include "platforms/link_fault.h"
#include "platforms/topology/platform_description.h"
#include "testbench/observe/block_query.h"
#include "testbench/record/record_choice.h"
#include "testbench/run/blocks/record_tap.h"
#include "testbench/run/blocks/shadow_tap.h"
#include "testbench/run/blocks/trace_files.h"
#include "testbench/run/bottleneck.h"
#include "testbench/run/parameters.h"
#include "testbench/run/status.h"
#include "testbench/workload/job.h"

namespace tributary {

namespace collective {
class KeptTrees;
}

enum class DataMode : std::uint8_t { exact, random, none };
enum class SimulationMode : std::uint8_t { windowed, event, fluid };

struct TraceSpec {
  std::string file;  ///< empty: no waveform
  std::vector<std::string> globs;
  std::optional<BlockQuery> block;  ///< follow this block alone
};

/// Capture of frames on links (FamilyCapture).
struct CaptureSpec {
  std::string file;                ///< empty: no capture
  std::vector<std::string> globs;  ///< none: all links
};

struct RunSpec {
  topology::PlatformDescription platform = "dgx2";
  RunParameters parameters;
  std::vector<JobSpec> jobs =
      std::vector<JobSpec>(1);  ///< concurrent, on disjoint endpoints; all have the same number of items
  unsigned iterations = 0;      ///< repetitions of each message, with a row each; 0: run once, and report no iteration
  double background_load = 0;   ///< load of every endpoint, as a fraction of its injection rate: 0 to 1
  std::optional<int> background_target;  ///< destination of all background traffic (incast); empty: any other endpoint
  bool layer_total = false;              ///< items are layers: report a last row `total`
  SimulationMode mode = SimulationMode::windowed;
  DataMode data = DataMode::exact;
  std::uint64_t seed = 1;
  std::optional<Time> time_limit;
  std::vector<LinkFault> faults;          ///< applied in every run
  std::vector<std::string> frame_faults;  ///< rules for Ethernet frames, applied in every run (FamilyFrames)
  TraceSpec trace;
  CaptureSpec capture;
  RecordSpec record;
  std::vector<std::string> plugins;          ///< origin of `blocks`: FILE or FILE:BLOCK
  BlockFactories blocks;                     ///< the user's own blocks, and taps
  ShadowTaps shadows;                        ///< among the taps of `blocks`: blocks that are compared with the model's
  std::shared_ptr<TraceFiles> rtl_traces;    ///< those of `blocks`; null: no block in RTL writes its signals
  bool shadow_stop = false;                  ///< the run ends at the first difference of a shadow
  std::shared_ptr<RecordTap> block_records;  ///< among the taps of `blocks`; null: no block is recorded
  std::vector<std::string> notes;            ///< choices that the user may not expect
  bool wire_latency = false;                 ///< also measure packet latency from the first flit on a wire
  bool trajectory = false;                   ///< tests: keep a hash of every packet on every link
  unsigned threads = 1;                      ///< threads of the run, at most (one_lane_because()); 0: by its work
  bool lane_times = false;                   ///< measure the CPU time of each lane
  std::size_t runs_at_once = 1;              ///< runs that share the processors if `threads` is 0
  std::shared_ptr<ProcessGroup> processes = nullptr;  ///< which run the platform together; null: one process runs it
  /// Trees of all runs of this process that get this object (FamilySearches); null: the run keeps its own.
  std::shared_ptr<collective::KeptTrees> trees = nullptr;

  /// Returns the number of lanes of the platform, at most; 1 while `threads` is 0.
  unsigned lanes() const;
  /// Returns the number of messages of a job, which run one after another; iterations count as messages, and all jobs have
  /// equally many.
  std::size_t messages() const { return jobs.front().items.size() * repeats(); }
  std::size_t repeats() const { return iterations == 0 ? 1 : iterations; }
};

struct LinkUse {
  std::string name;  ///< `gpu3.port2>switch0_2.port3`
  std::uint64_t bytes = 0;
  double utilisation = 0;
  std::uint64_t count = 1;  ///< links of equal load that have this name; above 1 on machines of classes (FluidMachine)
};

/// A setting that a driver has chosen by itself for a message.
struct Choice {
  std::string name;             ///< `chunk`
  std::optional<double> value;  ///< in the unit of its parameter: bytes, seconds; nothing: a name, `ring`
  std::string text;             ///< with a unit: `4MiB`
};

/// One row of the table and of the JSON.
struct ResultRow {
  std::string label;
  std::optional<unsigned> iteration;  ///< from 0; empty without RunSpec::iterations
  std::vector<Choice> tuned;          ///< settings that the driver has chosen
  std::optional<JobSpec> job;         ///< the job, if there are several; its number is `job_index`
  std::size_t job_index = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t count = 0;
  ElementType type = ElementType::f32;
  ReduceOp op = ReduceOp::sum;
  Tick time = 0;  ///< from the start of the job until the last byte of the result is visible in the memory of the last rank
  double bus_factor = 1;               ///< busbw = algbw x bus_factor
  double bound_GBps = 0;               ///< algbw that the busiest link or cut allows
  std::optional<std::uint64_t> wrong;  ///< elements; absent under --no-data
  Status status = Status::done;
  std::uint64_t wire_bytes = 0;
  std::vector<LinkUse> links;              ///< every directed link in netlist order, or every class of links
  std::optional<Bottleneck> bottleneck;    ///< bottleneck; only with status done
  std::map<std::string, double> counters;  ///< `switch.evictions`, `packet_latency_ns.mean` ...
  /// By class, `collective` and `background`: [middle of a bucket in ps, number of packets].
  std::map<std::string, std::vector<std::pair<Tick, std::uint64_t>>> latency_histograms;
  std::string report;                ///< of a run that did not finish: the cause, and everything that waits, by name
  std::optional<Tick> timeline_cut;  ///< time, ps from the start of the timeline, from which on it is incomplete because it
                                     ///< has too many events
  std::string block_life;            ///< TraceSpec::block: a table of time, place and event

  /// GB/s with 1 GB = 10^9 B; 0 when the run has not finished.
  double algbw_GBps() const { return time ? static_cast<double>(size_bytes) * 1e3 / static_cast<double>(time) : 0; }
  double busbw_GBps() const { return algbw_GBps() * bus_factor; }
};

/// Returns `chunk=4MiB, share=0.2`; empty if the driver chose nothing.
std::string tuned_text(const ResultRow& row);
/// Returns `uniform:0.2` or `incast:0.2@3`; empty without background traffic.
std::string background_text(const RunSpec& spec);

/// Resources of the simulator itself: the only part of a result that differs from run to run.
struct KernelUse {
  /// CPU time of the devices of a lane, and of arrivals from other lanes.
  struct LaneUse {
    double run_s = 0, drain_s = 0;
    std::uint64_t packets = 0;  ///< packets sent into other lanes
  };
  std::uint64_t packet_hops = 0;
  std::uint64_t events = 0;  ///< wake-ups of devices
  double cpu_s = 0;
  std::uint64_t peak_rss_bytes = 0;
  std::vector<LaneUse> lanes = {};           ///< RunSpec::lane_times; empty with one lane
  double lockstep_s = 0;                     ///< sum over all steps of the time of the slowest lane
  std::uint64_t steps = 0, steps_alone = 0;  ///< steps of all lanes; those with one lane that had work
  double apart_s = 0;                        ///< time of all steps if each lane had a processor
};

}  // namespace tributary
