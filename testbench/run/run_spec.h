#pragma once
/// What a run is, and what it yields: the contract between the command line, the session that simulates, and the reports.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/element.h"
#include "modules/base/units.h"
#include "platforms/block_factories.h"
#include "platforms/link_fault.h"
#include "testbench/observe/block_query.h"
#include "testbench/record/record_choice.h"
#include "testbench/run/limit.h"
#include "testbench/run/parameters.h"
#include "testbench/workload/job.h"

namespace tributary {

enum class DataMode : std::uint8_t { exact, random, none };
enum class EngineMode : std::uint8_t { windowed, event, fluid };

struct TraceSpec {
  std::string file;  ///< empty: no waveform
  std::vector<std::string> globs;
  std::optional<BlockQuery> block;  ///< the life of that one alone
};

/// Capture of frames on links (FamilyCapture).
struct CaptureSpec {
  std::string file;                ///< empty: no capture
  std::vector<std::string> globs;  ///< none: all links
};

struct RunSpec {
  std::string platform = "dgx2";
  RunParameters parameters;
  std::vector<JobSpec> jobs = std::vector<JobSpec>(1);  ///< at the same time, on endpoints of their own; with as many items
  unsigned iterations = 0;     ///< each message so often, one after another, with a row each; 0: once, and nothing says so
  double background_load = 0;  ///< of every endpoint, as a share of its injection rate: 0 to 1
  std::optional<int> background_target;  ///< endpoint to which all of it goes (incast); none: to any other
  bool layer_total = false;              ///< items are layers: report a last row `total`
  EngineMode engine = EngineMode::windowed;
  DataMode data = DataMode::exact;
  std::uint64_t seed = 1;
  std::optional<Time> time_limit;
  std::vector<LinkFault> faults;          ///< in every run alike
  std::vector<std::string> frame_faults;  ///< rules for Ethernet frames, in every run alike (FamilyFrames)
  TraceSpec trace;
  CaptureSpec capture;
  RecordSpec record;
  std::vector<std::string> plugins;  ///< where `blocks` come from: FILE or FILE:BLOCK
  BlockFactories blocks;             ///< of the user's own
  bool wire_latency = false;         ///< count packet latency from the first flit on a wire, too
  bool trajectory = false;           ///< tests: keep a hash of every packet on every link

  /// Messages one after another, iterations of each together; all jobs have as many.
  std::size_t messages() const { return jobs.front().items.size() * repeats(); }
  std::size_t repeats() const { return iterations == 0 ? 1 : iterations; }
};

enum class Status : std::uint8_t { done, wrong, deadlock, time_limit, interrupted };

struct LinkUse {
  std::string name;  ///< `gpu3.port2>switch0_2.port3`
  std::uint64_t bytes = 0;
  double utilisation = 0;
};

/// What a driver has chosen by itself for a message.
struct Choice {
  std::string name;  ///< `chunk`
  double value = 0;  ///< in the unit that its parameter has: bytes, seconds
  std::string text;  ///< with a unit: `4MiB`
};

/// One row of the table and of the JSON.
struct ResultRow {
  std::string label;
  std::optional<unsigned> iteration;  ///< from 0, where iterations are asked for
  std::vector<Choice> tuned;          ///< what was left to the driver
  std::optional<JobSpec> job;         ///< of several at once: which one, with its number
  std::size_t job_index = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t count = 0;
  ElementType type = ElementType::f32;
  ReduceOp op = ReduceOp::sum;
  Tick time = 0;                       ///< start of the job to the last byte of the result visible in the last rank's memory
  double bus_factor = 1;               ///< busbw = algbw x bus_factor
  double bound_GBps = 0;               ///< algbw that the busiest link or cut allows
  std::optional<std::uint64_t> wrong;  ///< elements; absent under --no-data
  Status status = Status::done;
  std::uint64_t wire_bytes = 0;
  std::vector<LinkUse> links;              ///< every directed link, in netlist order
  std::optional<Limit> limit;              ///< of one that is done
  std::map<std::string, double> counters;  ///< `switch.evictions`, `packet_latency_ns.mean` ...
  /// By class, `collective` and `background`: [middle of a bucket in ps, packets in it].
  std::map<std::string, std::vector<std::pair<Tick, std::uint64_t>>> latency_histograms;
  std::string report;  ///< deadlock, time limit: all that waits, by name
  std::optional<Tick>
      timeline_cut;        ///< of a timeline with too many events: from then on, in ps from its start, it lacks some
  std::string block_life;  ///< TraceSpec::block: a table of time, place and event

  /// GB/s with 1 GB = 10^9 B; 0 when the run has not finished.
  double algbw_GBps() const { return time ? static_cast<double>(size_bytes) * 1e3 / static_cast<double>(time) : 0; }
  double busbw_GBps() const { return algbw_GBps() * bus_factor; }
};

/// `chunk=4MiB, share=0.2`; empty when nothing was left to the driver.
std::string tuned_text(const ResultRow& row);
/// `uniform:0.2`, `incast:0.2@3`; empty without background traffic.
std::string background_text(const RunSpec& spec);

/// What the simulator itself did: the only part of a result that differs from run to run.
struct KernelUse {
  std::uint64_t packet_hops = 0;
  std::uint64_t events = 0;  ///< wake-ups of devices
  double cpu_s = 0;
  std::uint64_t peak_rss_bytes = 0;
};

}  // namespace tributary
