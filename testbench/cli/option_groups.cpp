#include "testbench/cli/option_groups.h"

#include <map>

#include "testbench/cli/help_text.h"

namespace tributary {

const NameGroups& option_groups(const std::string& command) {
  static const std::map<std::string, NameGroups> all{
      {"run",
       {{"Machine", {"platform", "set", "plugin", "fill-nvlink", "sm", "rates", "pcie", "strict"}},
        {"Work",
         {"collective", "algorithm", "size", "sizes", "messages", "one-shot", "gpus", "ranks", "root", "targets", "start",
          "skew", "dtype", "op", "iterations", "back-to-back"}},
        {"Conditions", {"background", "fault", "data", "no-data", "seed", "mode", "threads", "time-limit"}},
        {"Output",
         {"against", "json", "csv", "nccl-text", "nccl-json", "html", "perfetto", "perfetto-json", "perfetto-window",
          "perfetto-unit", "report", "cost", "energy", "print-tuner", "wire-latency", "lane-times"}},
        {"Bottleneck", {"bottleneck", "budget", "jobs", "bottleneck-svg"}},
        {"Blocks",
         {"check-blocks", "check-latency", "shadow", "shadow-compare", "shadow-stop", "shadow-dir", "record-block", "record",
          "record-limit", "trace-rtl", "trace-rtl-dir"}},
        {"Observation", {"trace-block", "vcd", "trace", "pcap", "capture", "log-level", "quiet", "help"}}}},
      {"train",
       {{"Machine", {"platform", "gpus", "ranks", "algorithm", "set", "plugin"}},
        {"Work",
         {"model", "graph", "preset", "batch", "dtype", "iterations", "compute", "memory", "parallel", "print-memory",
          "write-graph"}},
        {"Communication", {"grouping", "order", "queues", "sharding"}},
        {"Run", {"mode", "fidelity", "threads", "skew", "seed", "time-limit"}},
        {"Results", {"against", "json", "csv", "report", "vcd", "perfetto", "perfetto-json", "trace", "quiet", "help"}}}},
      {"bottleneck",
       {{"Set-ups", {"platform", "collective", "algorithm", "sizes", "gpus", "set", "seed", "mode"}},
        {"Reruns", {"budget", "jobs", "out"}},
        {"Results", {"json", "html", "svg", "quiet", "help"}}}},
      {"explore",
       {{"Runs", {"example", "jobs", "budget", "list", "resume-only"}},
        {"Clusters", {"share", "wait", "emit", "tasks"}},
        {"Results", {"out", "html", "compare", "quiet", "help"}}}},
      {"sweep", {{"Points", {"list", "index", "shard", "join", "jobs", "emit"}}, {"Results", {"out", "quiet", "help"}}}},
  };
  static const NameGroups none;
  const auto found = all.find(command);
  return found == all.end() ? none : found->second;
}

const NameGroups& command_groups() {
  static const NameGroups all{
      {"Simulate", {"run", "sweep", "train", "bottleneck", "explore"}},
      {"Compute without simulation", {"schedule", "verify", "replay", "stimulus", "import", "export", "estimate"}},
      {"Look up", {"list", "netlist", "plot", "energy", "help"}},
      {"Set up", {"completion"}}};
  return all;
}

const std::vector<Example>& examples_of(const std::string& command) {
  static const std::map<std::string, std::vector<Example>> all{
      {"",
       {{"Reduce in the switches of a DGX-2", "tributary run --platform dgx2 --algorithm push --size 8MiB"},
        {"List the algorithms of a platform", "tributary list algorithms --platform torus:8x8"},
        {"Run a sweep over parameters",
         "tributary sweep testbench/examples/sweeps/tables.yaml --out results/tables --jobs 2"}}},
      {"run",
       {{"Reduce messages of several sizes in the switches of a DGX-2",
         "tributary run --algorithm push --sizes 1KiB:1MiB:x4 --csv push.csv"},
        {"Use a smaller reduction table", "tributary run --size 1MiB --set nvswitch.switch.reduction_table.bytes=128B"},
        {"Follow one block through the machine, also as a waveform",
         "tributary run --size 8KiB --trace-block 62 --vcd push.vcd"}}},
      {"sweep",
       {{"List the points", "tributary sweep testbench/examples/sweeps/tables.yaml --list"},
        {"Run all points, two at a time",
         "tributary sweep testbench/examples/sweeps/tables.yaml --out results/tables --jobs 2"},
        {"Write the table of the finished points",
         "tributary sweep testbench/examples/sweeps/tables.yaml --out results/tables --join"}}},
      {"bottleneck",
       {{"Find the parameters that bound a push on a DGX-2",
         "tributary bottleneck --platform dgx2 --algorithm push --sizes 64KiB --budget 20s"},
        {"Compare two algorithms of a torus",
         "tributary bottleneck --platform torus:4x4 --algorithm ring,multitree --sizes 64KiB"},
        {"Write a page with drawings",
         "tributary bottleneck --platform rack:6 --sizes 64KiB --budget 20s --html bottleneck.html"}}},
      {"energy",
       {{"Price a result with other links", "tributary energy push.json --set energy.link.nvlink=1.2"},
        {"Compare two algorithms", "tributary energy push.json ring.json --svg energy.svg"},
        {"Write the counts for Accelergy", "tributary energy push.json --accelergy counts"}}},
      {"explore",
       {{"Search tables, links and waves of a DGX-2 by evolution",
         "tributary explore testbench/examples/explore/push_tables.yaml --out results/push --jobs 2"},
        {"Run all points of a small space of NetReduce, and write a page",
         "tributary explore testbench/examples/explore/netreduce_window.yaml --out results/window --html window.html"},
        {"Stop after a minute; the same command goes on",
         "tributary explore testbench/examples/explore/push_tables.yaml --out results/push --budget 60s"}}},
      {"train",
       {{"Simulate an iteration of ResNet-18", "tributary train --model resnet18 --gpus 4"},
        {"Reduce gradients in buckets", "tributary train --model resnet18 --gpus 4 --grouping bucket"},
        {"Use the parameters of a paper's experiment", "tributary train --preset klenk-volta --model resnet18 --gpus 2"}}},
      {"schedule",
       {{"Build the trees of MultiTree on a torus", "tributary schedule --topology torus:8x8"},
        {"Write the trees of a server", "tributary schedule --topology dgx1v --ranks 0-3 --json trees.json"},
        {"Build a ring in two dimensions", "tributary schedule --topology torus:4x4 --algorithm ring_2d"}}},
      {"verify",
       {{"Prove a ring of four ranks", "tributary verify testbench/workload/data/msccl/ring4.xml"},
        {"Write the schedule of a torus as such a file", "tributary schedule --topology torus:4x4 --msccl torus.xml"},
        {"Prove that file", "tributary verify torus.xml"}}},
      {"replay",
       {{"Record the combinator of a rack",
         "tributary run --platform rack:4 --size 64KiB --record-block '*.combinator' --record combinator"},
        {"Replay the record into the model's own block", "tributary replay combinator"},
        {"Write a histogram of its times", "tributary replay combinator --compare data --csv times.csv"}}},
      {"stimulus",
       {{"List blocks and cases", "tributary list stimulus"},
        {"Write a random mix for a reduction table", "tributary stimulus nvswitch.switch.reduction_table -o table"},
        {"Write the case of an eviction", "tributary stimulus nvswitch.switch.reduction_table -o lru --case evict_lru"}}},
      {"plot",
       {{"Run the points of a sweep", "tributary sweep testbench/examples/sweeps/methods.yaml --out results/methods"},
        {"Draw a curve for each algorithm",
         "tributary plot results/methods/results.csv --x size_bytes --y algbw_GBps --by algorithm -o methods.svg"},
        {"Draw with logarithmic axes",
         "tributary plot results/methods/results.csv --x size_bytes --y time_ns --by algorithm --log x,y -o times.svg"}}},
      {"estimate",
       {{"Estimate four machines of eight GPUs", "tributary estimate --machines 4 --gpus 8 --size 100MB"},
        {"Estimate racks with a spine", "tributary estimate --machines 8 --racks 2 --size 64MiB"},
        {"Estimate by flows", "tributary estimate --mode fluid --machines 6 --size 64MiB"}}},
      {"netlist",
       {{"Print modules, sockets and bindings", "tributary netlist --platform torus:2x2"},
        {"Write them as JSON", "tributary netlist --platform dgx2 --json dgx2.json"},
        {"Write them as a graph for Graphviz", "tributary netlist --platform rack:4 --dot rack.dot"}}},
      {"import",
       {{"Print the contents of a file", "tributary import topology testbench/workload/data/topologies/h100.xml"},
        {"Read a file of BookSim, with warnings as errors",
         "tributary import topology testbench/workload/data/topologies/three_routers.anynet --strict"},
        {"Write the graph of a file",
         "tributary import topology testbench/workload/data/topologies/dgx1v.txt --graph graph.json"}}},
      {"export",
       {{"Write a built-in server as a file of NCCL", "tributary export topology dgx1v --out dgx1v.xml"},
        {"Write a network of NICs for BookSim", "tributary export topology bigraph:2x4 --out bigraph.anynet"},
        {"Write the ports of a block in RTL", "tributary export pins combinator --out combinator_ports.svh"}}},
      {"list",
       {{"List the platforms", "tributary list platforms"},
        {"List the algorithms of a platform", "tributary list algorithms --platform rack:6"},
        {"List its parameters", "tributary list parameters --platform rack:6"}}},
      {"completion",
       {{"Enable completion in this shell", "source <(tributary completion bash)"},
        {"Write the script for zsh", "tributary completion zsh > _tributary"},
        {"Write the script for fish", "tributary completion fish > tributary.fish"}}},
      {"help",
       {{"List all commands", "tributary help"},
        {"Show the options of a command", "tributary help run"},
        {"Print a manual page", "tributary help --man run"}}},
  };
  static const std::vector<Example> none;
  const auto found = all.find(command);
  return found == all.end() ? none : found->second;
}

std::string exit_codes_of(const std::string& command) {
  const std::string runs =
      "0 done and every element right; 1 done with wrong elements, or with a block that differs from its shadow; 2 bad "
      "input, nothing ran; 3 not finished (the "
      "status names the reason), or an output could not be written (full disk)";
  if (command == "run") return runs + ".";
  if (command == "sweep") return runs + "; the exit code is the worst of all points.";
  if (command == "bottleneck")
    return "0 done; 2 bad input, or every set-up is refused; 3 Ctrl-C, or an output could not be written.";
  if (command == "explore")
    return "0 done, or the budget ended; 2 bad input, nothing ran; 3 no feasible point, Ctrl-C, or an output could not be "
           "written; 4 runs are missing, after --wait or with --resume-only.";
  if (command == "verify") return "0 proved; 1 not proved; 2 bad input; 3 an output could not be written.";
  if (command == "replay")
    return "0 no difference; 1 differences; 2 bad input; 3 the block failed, or an output could not be written.";
  if (command == "train") return "0 done; 2 bad input, nothing ran; 3 not finished, or an output could not be written.";
  return "0 done; 2 bad input; 3 an output could not be written.";
}

}  // namespace tributary
