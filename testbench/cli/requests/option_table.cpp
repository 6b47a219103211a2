#include "testbench/cli/requests/option_table.h"

#include <map>

namespace tributary {

const std::vector<OptionRow>& run_options() {
  constexpr auto value = OptionKind::value, list = OptionKind::list, flag = OptionKind::flag;
  const std::string size_unit = "B, kB, MB, GB, KiB, MiB, GiB";
  static const std::vector<OptionRow> rows{
      {"platform", "NAME", "machine to simulate", "a name of `list platforms`", "dgx2"},
      {"fill-nvlink", "MACHINE",
       "platform file:FILE: machine whose NVLinks are added to a file without them, as clouds provide: hgx-h100, "
       "hgx-a100, dgx2 or dgx1v",
       "name", "none"},
      {"sm", "N", "platform file:FILE: compute capability of its GPUs, which determines the rate of NVLinks", "60 to 100",
       "compute capability in the file"},
      {"rates", "KIND", "platform file:FILE: wires: rates of the wires; nccl: the rates with which NCCL plans", "name",
       "wires"},
      {"pcie", "LINK", "platform file:FILE: PCIe links without a rate in the file: gen4x16", "name",
       "parameter blink.pcie.rate"},
      {"strict", "", "treat warnings about the files of platforms and algorithms as errors", "", "off", flag},
      {"collective", "NAME", "collective operation of the ranks", "a name of `list collectives`", "allreduce", value, true},
      {"algorithm", "NAME", "algorithm of the collective", "a name of `list algorithms`, or msccl:FILE, an MSCCL file",
       "first that `list algorithms` names", value, true},
      {"gpus", "N",
       "number of GPUs that take part, GPUs 0 to N-1; with parameter nvswitch.placement=spread, the same number from each "
       "group",
       "GPUs", "all of the platform", value, true, "ranks"},
      {"ranks", "LIST", "GPUs that take part, in the order of their ranks: 0-3,8", "GPU numbers", "all of the platform",
       value, true, "ranks"},
      {"root", "RANK", "source of a broadcast or multicast; destination of a reduce or gather", "rank", "0", value, true},
      {"targets", "LIST", "destinations of a multicast: 1-3,5", "rank numbers", "none", value, true},
      {"size", "SIZE", "message size, as nccl-tests counts it; for a barrier, the size of each packet", size_unit,
       "none (barrier: 4B)", value, true, "workload"},
      {"sizes", "FROM:TO:xK", "message sizes from FROM to TO, each K times the previous one", size_unit, "none", value, true,
       "workload"},
      {"messages", "FILE", "one message per layer of a DNN layer table (SCALE-Sim CSV), last layer first", "elements",
       "none", value, true, "workload"},
      {"one-shot", "", "with --messages: one message of all layers together", "", "off", flag, true},
      {"against", "ALGORITHM,...",
       "run each message also by these algorithms, and print the difference of each from --algorithm in time",
       "names of `list algorithms`", "none"},
      {"iterations", "N",
       "number of runs of each message, one after another, with a row each; automatic settings are re-tuned from the "
       "previous iteration",
       "1 to 1000", "1"},
      {"back-to-back", "K",
       "kernels of the collective that each rank runs one after another in its stream, as nccl-tests launches them; the "
       "time "
       "of a row is the time of all of them divided by K",
       "1 to 1000", "1", value, true},
      {"start", "TIME", "delay of the job's start", "ps, ns, us, ms, s", "0ns", value, true},
      {"skew", "TIME or LIST",
       "ranks that start late: each by a random time up to TIME, or by its time in LIST, 0us,5us,20us; the job's time "
       "counts "
       "from its start",
       "ps, ns, us, ms, s", "none", value, true},
      {"dtype", "TYPE", "element type: f64, f32, f16, bf16, i8, i16, i32 or i64", "name", "f32", value, true},
      {"op", "OP", "reduction: sum, min or max", "name", "sum", value, true},
      {"set", "PATH=VALUE", "parameter of `list parameters` and its value; repeatable", "default of the parameter",
       "`list parameters`", list},
      {"plugin", "FILE[:BLOCK]",
       "shared library whose blocks replace those of the platform (`list blocks`): all of them, or only BLOCK; repeatable",
       "path", "none", list},
      {"check-blocks", "KIND",
       "monitors that check each answer of a block before its device uses it: of the blocks of plugins (foreign), of all "
       "blocks that can be observed (all), or of none (off)",
       "name", "foreign"},
      {"check-latency", "TIME", "--check-blocks: longest interval or latency of an access", "ps, ns, us, ms, s", "1ms"},
      {"shadow", "FILE[:BLOCK][@PLACE]",
       "shared library whose blocks receive the requests of the model's blocks and are compared with them: the first "
       "instance "
       "of each, or those whose names the glob PLACE matches; repeatable",
       "path", "none", list},
      {"shadow-compare", "RULE",
       "agreement of a shadow. all: answers, data and times; data: answers and data; late:N: times may be 0 to N clocks "
       "later, never earlier",
       "name", "all"},
      {"shadow-stop", "", "end the run, with exit code 1, at the first difference of a shadow", "", "off", flag},
      {"shadow-dir", "DIR", "folder of the files of the first difference of a shadow: last requests and waveform", "path",
       "."},
      {"record-block", "PLACE",
       "block whose transactions are recorded: the first whose name, or that of its device, the glob matches; repeatable",
       "names of `netlist`", "none", list},
      {"record", "DIR", "--record-block: folder of the record; of several records, one folder in it for each", "path",
       "none"},
      {"record-limit", "N", "--record-block: most transactions of a record", "transactions", "100000"},
      {"trace-rtl", "GLOB",
       "instances of blocks in RTL, built with TRACE, that write all of their signals to NAME.vcd; repeatable",
       "names of `netlist`", "none", list},
      {"trace-rtl-dir", "DIR", "--trace-rtl: folder of the files", "path", "."},
      {"background", "uniform:LOAD or incast:LOAD@HOST",
       "background traffic of every GPU or host, at this fraction of its injection rate: uniform to random destinations, "
       "incast (hosts on Ethernet) to one host",
       "above 0, to 1", "none"},
      {"mode", "MODE",
       "windowed: devices simulate ahead as far as the result stays exact; event: one wake-up per event time; fluid: "
       "flows at fair rates replace packets and data",
       "name", "windowed; fluid on platforms without packets"},
      {"data", "KIND", "exact: every bit is checked; random: real numbers, checked within the bound of rounding", "name",
       "exact", value, false, "data"},
      {"no-data", "", "simulate time only: no values are reduced or checked", "", "off", flag, false, "data"},
      {"seed", "N", "random seed", "whole number", "1"},
      {"threads", "N",
       "threads that run the devices of the platform, in lanes; results are the same for every number; 0: one for each "
       "processor",
       "threads", "1 for less than about 2 s of work, else one for each processor that no other point of a sweep uses"},
      {"lane-times", "", "print the processor time of each lane, and the gain that these times allow", "", "off", flag},
      {"json", "FILE", "results as JSON; - is standard output", "path", "none"},
      {"csv", "FILE", "results as CSV, written row by row as runs end; - is standard output", "path", "none"},
      {"nccl-text", "FILE", "results as the table of nccl-tests; - is standard output", "path", "none"},
      {"nccl-json", "FILE", "results as the JSON of nccl-tests; - is standard output", "path", "none"},
      {"report", "FILE",
       "names of everything that waits when a run deadlocks or reaches its time limit; the screen shows the oldest", "path",
       "none"},
      {"html", "FILE",
       "web page of the run: results, the machine coloured by load, and links, tables and devices over time (of the last "
       "message)",
       "path", "none"},
      {"perfetto", "FILE",
       "timeline of packets, tables and devices for ui.perfetto.dev, where a nanosecond is a picosecond; --trace selects "
       "probes",
       "path", "none"},
      {"perfetto-json", "FILE", "timeline as JSON, for viewers of Chrome's trace events", "path", "none"},
      {"perfetto-window", "FROM:TO", "interval of simulated time that the timeline keeps", "ps, ns, us, ms, s",
       "the whole run"},
      {"perfetto-unit", "UNIT",
       "simulated time that one nanosecond of the timeline represents: a picosecond or a nanosecond", "ps, ns", "ps"},
      {"vcd", "FILE", "waveform; FILE.gtkw is its view for GTKWave", "path", "none"},
      {"trace", "GLOB",
       "probes in the waveform or timeline, where * also matches dots; or a link: its sending port, or FROM>TO in quotes; "
       "repeatable",
       "names of `list probes` or links", "all probes", list},
      {"trace-block", "N[:GPU]",
       "block to follow through the machine: a table on the screen and, with --vcd, a waveform. N is the network address "
       "/ 128; on schedule NICs and with Blink's trees, the number of a chunk; with NetReduce, the number of a packet of "
       "the tensor, from 0, message by message. :GPU (or node, host) keeps only its packets from or to that endpoint",
       "block number", "none"},
      {"pcap", "FILE", "pcapng capture of the frames on Ethernet links for Wireshark, an interface for each link", "path",
       "none"},
      {"capture", "GLOB",
       "links in the capture: their sending ports, FROM>TO in quotes, or the names of their probes `sent`, where * also "
       "matches dots; repeatable",
       "names of links or `list probes`", "all links", list},
      {"time-limit", "TIME", "simulated time after which a message is stopped, with exit code 3", "ps, ns, us, ms, s",
       "none"},
      {"fault", "FAULT",
       "fault of a link in every message: corrupt:LINK:N or duplicate:LINK:N for packet N from 0, or down:LINK@TIME; LINK "
       "is the sending port, or the name in --json, in quotes for the shell; on Ethernet also drop and flip, and frames by "
       "their meaning, drop:gradient:RANK:MSG:O; repeatable",
       "ps, ns, us, ms, s", "none", list},
      {"wire-latency", "", "also count packet latency without the queue at the source (slower)", "", "off", flag},
      {"cost", "",
       "print SRAM and area of the reduction tables, and the sizes that Eq. (1) and (2) of Klenk et al. require; with "
       "NetReduce memory, block RAMs and table entries of an accelerator",
       "", "off", flag},
      {"energy", "",
       "print the energy of each message, marginal and standing, and the area of a switch or accelerator; parameters "
       "energy.*, area.* and technology.* are their prices",
       "", "off", flag},
      {"print-tuner", "",
       "--algorithm nccl: also print the latency and bandwidth that NCCL's tuner expects of each algorithm and protocol", "",
       "off", flag},
      {"bottleneck", "KIND",
       "line: the bottleneck that the run itself shows; measured: also reruns with each parameter moved, and the gain of "
       "each",
       "name", "line"},
      {"budget", "TIME", "--bottleneck measured: clock time for the reruns", "ps, ns, us, ms, s", "60s"},
      {"jobs", "N", "--bottleneck measured: reruns that run in parallel", "processes", "number of processors"},
      {"bottleneck-svg", "FILE", "--bottleneck measured: drawing of the gains", "path", "none"},
      {"quiet", "", "print no progress line and no line about the time used", "", "off", flag},
      {"log-level", "LEVEL",
       "level of messages on standard error: trace, debug, info, warn, error, critical or off; trace logs every event of "
       "the block of --trace-block (with N:GPU, of its packet from or to that GPU), or of block 0",
       "name", "warn"},
  };
  return rows;
}

const OptionRow* find_run_option(const std::string& name) {
  for (const OptionRow& row : run_options())
    if (row.name == name) return &row;
  return nullptr;
}

std::string flags_of(const OptionRow& option) {
  static const std::map<std::string, std::string> letters{{"platform", "-p"}, {"collective", "-c"}, {"algorithm", "-a"},
                                                          {"size", "-s"},     {"gpus", "-g"},       {"quiet", "-q"}};
  const auto letter = letters.find(option.name);
  return (letter == letters.end() ? "" : letter->second + ",") + "--" + option.name;
}

std::string describe(const OptionRow& option) {
  return option.help + " [" + (option.unit.empty() ? "" : "unit: " + option.unit + "; ") + "default: " + option.standard +
         "]";
}

}  // namespace tributary
