#include "testbench/cli/requests/option_table.h"

namespace tributary {

const std::vector<OptionRow>& run_options() {
  constexpr auto value = OptionKind::value, list = OptionKind::list, flag = OptionKind::flag;
  const std::string size_unit = "B, kB, MB, GB, KiB, MiB, GiB";
  static const std::vector<OptionRow> rows{
      {"platform", "NAME", "machine to simulate", "a name of `list platforms`", "dgx2"},
      {"fill-nvlink", "MACHINE",
       "platform file:FILE: NVLinks that the PCIe tree of a cloud's file lacks: hgx-h100, hgx-a100, dgx2 or dgx1v", "name",
       "none"},
      {"sm", "N", "platform file:FILE: compute capability of its GPUs, which tells the rate of NVLinks", "60 to 100",
       "of the file"},
      {"rates", "KIND", "platform file:FILE: rates of the wires, or those that nccl plans with: wires or nccl", "name",
       "wires"},
      {"pcie", "LINK", "platform file:FILE: PCIe links of which the file says nothing: gen4x16", "name", "of parameters"},
      {"strict", "", "platform file:FILE: warnings of its file are errors", "", "off", flag},
      {"collective", "NAME", "what the ranks compute together", "a name of `list collectives`", "allreduce", value, true},
      {"algorithm", "NAME", "how they do it", "a name of `list algorithms`, or msccl:FILE, an MSCCL file",
       "the first of the collective", value, true},
      {"gpus", "N", "GPUs 0 to N-1 take part; parameter nvswitch.placement=spread: as many of each group", "GPUs",
       "all of the platform", value, true, "ranks"},
      {"ranks", "LIST", "these GPUs take part, rank i is the i-th: 0-3,8", "GPU numbers", "all of the platform", value, true,
       "ranks"},
      {"root", "RANK", "the rank that a broadcast or multicast comes from, or a reduce or gather goes to", "rank", "0",
       value, true},
      {"targets", "LIST", "the ranks that a multicast reaches: 1-3,5", "rank numbers", "none", value, true},
      {"size", "SIZE", "message size, as nccl-tests counts it; of a barrier: of each packet", size_unit,
       "none (barrier: 4B)", value, true, "workload"},
      {"sizes", "FROM:TO:xK", "message sizes one after another, each K times the last", size_unit, "none", value, true,
       "workload"},
      {"messages", "FILE", "one message per layer of a DNN layer table (SCALE-Sim CSV), last layer first", "elements",
       "none", value, true, "workload"},
      {"one-shot", "", "with --messages: one message of all layers together", "", "off", flag, true},
      {"iterations", "N",
       "each message N times, one after another in one machine, a row each; what is left to the driver it chooses anew by "
       "what the one before has taken",
       "1 to 1000", "1"},
      {"start", "TIME", "the job starts so long after the run does", "ps, ns, us, ms, s", "0ns", value, true},
      {"dtype", "TYPE", "element type: f32, f16, bf16 or i32", "name", "f32", value, true},
      {"op", "OP", "reduction: sum, min or max", "name", "sum", value, true},
      {"set", "PATH=VALUE", "a parameter of `list parameters`; repeatable", "of the parameter", "`list parameters`", list},
      {"plugin", "FILE[:BLOCK]",
       "shared library with blocks of your own, which stand in for the platform's (`list blocks`): all of them, or one; "
       "repeatable",
       "path", "none", list},
      {"background", "uniform:LOAD or incast:LOAD@HOST",
       "traffic of every GPU or host beside the jobs, at this share of its injection rate, to all others at random, or "
       "(hosts on Ethernet) all of it to one host",
       "above 0, to 1", "none"},
      {"mode", "MODE",
       "windowed: devices run ahead as far as is exact; event: one wake-up per event time; fluid: flows at fair rates in "
       "place of packets, no data",
       "name", "windowed"},
      {"data", "KIND", "exact: any wrong bit counts; random: reals, within the bound of rounding", "name", "exact", value,
       false, "data"},
      {"no-data", "", "timing only: no values are reduced or checked", "", "off", flag, false, "data"},
      {"seed", "N", "of all randomness", "whole number", "1"},
      {"json", "FILE", "results as JSON; - is standard output", "path", "none"},
      {"csv", "FILE", "results as CSV, a row as each run ends; - is standard output", "path", "none"},
      {"nccl-text", "FILE", "results as the table of nccl-tests; - is standard output", "path", "none"},
      {"nccl-json", "FILE", "results as the JSON of nccl-tests; - is standard output", "path", "none"},
      {"report", "FILE", "all that waits when a run gets stuck or to its time limit, by name; the screen shows the oldest",
       "path", "none"},
      {"html", "FILE",
       "the run as a page: results, the machine coloured by load, links, tables and devices over time (of the last message)",
       "path", "none"},
      {"perfetto", "FILE",
       "timeline of packets, tables and devices for ui.perfetto.dev, a nanosecond there for each picosecond; --trace says "
       "which",
       "path", "none"},
      {"perfetto-json", "FILE", "the same as JSON, for viewers of Chrome's trace events", "path", "none"},
      {"perfetto-window", "FROM:TO", "keep what happens between these times of the run", "ps, ns, us, ms, s",
       "the whole run"},
      {"perfetto-unit", "UNIT", "ps: a nanosecond of the timeline is a picosecond; ns: it is a nanosecond", "ps, ns", "ps"},
      {"vcd", "FILE", "waveform, and FILE.gtkw for GTKWave", "path", "none"},
      {"trace", "GLOB", "probes in the waveform or timeline, * crosses dots; repeatable", "names of `list probes`",
       "all probes", list},
      {"trace-block", "N[:GPU]",
       "follow block N (network address / 128; of schedule NICs and of Blink's trees: chunk N; of NetReduce: packet N of "
       "the "
       "tensor, from 0, message by message) over the whole machine, as a table on the screen and with --vcd as a waveform; "
       "GPU (or node, host): only what is from or to that one",
       "block number", "none"},
      {"pcap", "FILE", "frames on Ethernet links, as a capture with nanoseconds for Wireshark", "path", "none"},
      {"capture", "GLOB", "links in the capture, by their probes link.sent, * crosses dots; repeatable",
       "names of `list probes`", "all links", list},
      {"time-limit", "TIME", "stop a message at this simulated time, exit 3", "ps, ns, us, ms, s", "none"},
      {"fault", "FAULT",
       "of a link as --json names it, in every message: corrupt:LINK:N or duplicate:LINK:N, N the packet from 0, or "
       "down:LINK@TIME; on Ethernet also drop and flip, and frames by meaning, drop:gradient:RANK:MSG:O; repeatable",
       "ps, ns, us, ms, s", "none", list},
      {"wire-latency", "", "count packet latency without the queue at its source, too (slower)", "", "off", flag},
      {"cost", "", "print SRAM and area of the reduction tables, and what Eq. (1) and (2) of Klenk et al. ask", "", "off",
       flag},
      {"quiet", "", "no progress line, and no line of the time it took", "", "off", flag},
      {"log-level", "LEVEL",
       "trace, debug, info, warn, error, critical or off; to standard error; trace logs all that happens to the block of "
       "--trace-block (with N:GPU, to its packet from or to that GPU), or to block 0",
       "name", "warn"},
  };
  return rows;
}

const OptionRow* find_run_option(const std::string& name) {
  for (const OptionRow& row : run_options())
    if (row.name == name) return &row;
  return nullptr;
}

std::string describe(const OptionRow& option) {
  return option.help + " [" + (option.unit.empty() ? "" : "unit: " + option.unit + "; ") + "default: " + option.standard +
         "]";
}

}  // namespace tributary
