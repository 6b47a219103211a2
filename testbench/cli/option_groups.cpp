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
          "dtype", "op", "iterations"}},
        {"Conditions", {"background", "fault", "data", "no-data", "seed", "mode", "time-limit"}},
        {"Output",
         {"json", "csv", "nccl-text", "nccl-json", "html", "perfetto", "perfetto-json", "perfetto-window", "perfetto-unit",
          "report", "cost", "wire-latency"}},
        {"A closer look", {"trace-block", "vcd", "trace", "pcap", "capture", "log-level", "quiet", "help"}}}},
      {"train",
       {{"Machine", {"platform", "gpus", "ranks", "algorithm", "set", "plugin"}},
        {"Work", {"model", "graph", "preset", "batch", "dtype", "iterations", "compute", "parallel", "write-graph"}},
        {"Communication", {"grouping", "order", "queues", "sharding"}},
        {"Run", {"mode", "fidelity", "seed", "time-limit"}},
        {"Results", {"json", "csv", "report", "vcd", "perfetto", "perfetto-json", "trace", "quiet", "help"}}}},
      {"sweep", {{"Points", {"list", "index", "shard", "join", "jobs", "emit"}}, {"Results", {"out", "quiet", "help"}}}},
  };
  static const NameGroups none;
  const auto found = all.find(command);
  return found == all.end() ? none : found->second;
}

const NameGroups& command_groups() {
  static const NameGroups all{{"Simulate", {"run", "sweep", "train"}},
                              {"Compute without simulation", {"schedule", "verify", "import", "export", "estimate"}},
                              {"Look up", {"list", "netlist", "plot", "help"}},
                              {"Set up", {"completion"}}};
  return all;
}

const std::vector<Example>& examples_of(const std::string& command) {
  static const std::map<std::string, std::vector<Example>> all{
      {"",
       {{"an all-reduce in the switches of a DGX-2", "tributary run --platform dgx2 --algorithm push --size 8MiB"},
        {"what can be asked for", "tributary list algorithms --platform torus:8x8"},
        {"a table of sizes over parameters",
         "tributary sweep testbench/examples/sweeps/tables.yaml --out results/tables --jobs 2"}}},
      {"run",
       {{"an all-reduce in the switches of a DGX-2, over sizes",
         "tributary run --algorithm push --sizes 1KiB:1MiB:x4 --csv push.csv"},
        {"a smaller reduction table", "tributary run --size 1MiB --set nvswitch.switch.reduction_table.bytes=128B"},
        {"one block through the machine, and as a waveform", "tributary run --size 8KiB --trace-block 62 --vcd push.vcd"}}},
      {"sweep",
       {{"the points", "tributary sweep testbench/examples/sweeps/tables.yaml --list"},
        {"all of them, two at once", "tributary sweep testbench/examples/sweeps/tables.yaml --out results/tables --jobs 2"},
        {"a table of what is finished",
         "tributary sweep testbench/examples/sweeps/tables.yaml --out results/tables --join"}}},
      {"train",
       {{"an iteration of ResNet-18", "tributary train --model resnet18 --gpus 4"},
        {"gradients in buckets", "tributary train --model resnet18 --gpus 4 --grouping bucket"},
        {"a paper's experiment", "tributary train --preset klenk-volta --model resnet18 --gpus 2"}}},
      {"schedule",
       {{"MultiTree on a torus", "tributary schedule --topology torus:8x8"},
        {"the trees of a server", "tributary schedule --topology dgx1v --ranks 0-3 --json trees.json"},
        {"a ring in two dimensions", "tributary schedule --topology torus:4x4 --algorithm ring_2d"}}},
      {"verify",
       {{"a ring of four ranks", "tributary verify testbench/workload/data/msccl/ring4.xml"},
        {"a schedule of a torus as such a file", "tributary schedule --topology torus:4x4 --msccl torus.xml"},
        {"and read again", "tributary verify torus.xml"}}},
      {"plot",
       {{"points", "tributary sweep testbench/examples/sweeps/methods.yaml --out results/methods"},
        {"a curve for each algorithm",
         "tributary plot results/methods/results.csv --x size_bytes --y algbw_GBps --by algorithm -o methods.svg"},
        {"logarithmic",
         "tributary plot results/methods/results.csv --x size_bytes --y time_ns --by algorithm --log x,y -o times.svg"}}},
      {"estimate",
       {{"four machines of eight GPUs", "tributary estimate --machines 4 --gpus 8 --size 100MB"},
        {"in racks with a spine", "tributary estimate --machines 8 --racks 2 --size 64MiB"},
        {"by flows", "tributary estimate --mode fluid --machines 6 --size 64MiB"}}},
      {"netlist",
       {{"modules, sockets and bindings", "tributary netlist --platform torus:2x2"},
        {"as JSON", "tributary netlist --platform dgx2 --json dgx2.json"},
        {"as a drawing", "tributary netlist --platform rack:4 --dot rack.dot"}}},
      {"import",
       {{"what a file holds", "tributary import topology testbench/workload/data/topologies/h100.xml"},
        {"of BookSim, warnings as errors",
         "tributary import topology testbench/workload/data/topologies/three_routers.anynet --strict"},
        {"its graph", "tributary import topology testbench/workload/data/topologies/dgx1v.txt --graph graph.json"}}},
      {"export",
       {{"a server built in as a file of NCCL", "tributary export topology dgx1v --out dgx1v.xml"},
        {"as nvidia-smi shows it", "tributary export topology dgx1v --format topo-m"},
        {"a network of NICs for BookSim", "tributary export topology bigraph:2x4 --out bigraph.anynet"}}},
      {"list",
       {{"machines", "tributary list platforms"},
        {"what runs on one of them", "tributary list algorithms --platform rack:6"},
        {"its parameters", "tributary list parameters --platform rack:6"}}},
      {"completion",
       {{"in this shell", "source <(tributary completion bash)"},
        {"for zsh", "tributary completion zsh > _tributary"},
        {"for fish", "tributary completion fish > tributary.fish"}}},
      {"help",
       {{"all commands", "tributary help"},
        {"one of them", "tributary help run"},
        {"as a manual page", "tributary help --man run"}}},
  };
  static const std::vector<Example> none;
  const auto found = all.find(command);
  return found == all.end() ? none : found->second;
}

std::string exit_codes_of(const std::string& command) {
  const std::string runs =
      "0 done and every element right; 1 done with wrong elements; 2 bad input, nothing ran; 3 not finished (deadlock, dead "
      "link, time limit, Ctrl-C), or output that could not be written, a full disk for instance";
  if (command == "run") return runs + ".";
  if (command == "sweep") return runs + "; the worst of the points.";
  if (command == "verify") return "0 proved; 1 not proved; 2 bad input; 3 output that could not be written.";
  if (command == "train") return "0 done; 2 bad input, nothing ran; 3 not finished, or output that could not be written.";
  return "0 done; 2 bad input; 3 output that could not be written.";
}

}  // namespace tributary
