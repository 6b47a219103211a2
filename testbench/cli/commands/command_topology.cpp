#include "testbench/cli/commands/command_parts.h"

namespace tributary {

CLI::App* add_import(CLI::App& app, ImportRequest& request) {
  CLI::App* command =
      app.add_subcommand("import", "read a topology file or a trace, and print what it holds; no simulation");
  command->add_option("WHAT", request.what, "topology or trace")->type_name("");
  const char* const files =
      "file of NCCL, text of nvidia-smi topo -m, or anynet of BookSim; trace: of Chakra, or PREFIX of PREFIX.0.et, "
      "PREFIX.1.et ...";
  command->add_option("FILE", request.file, files)->type_name("");
  command->add_option("--format", request.format, "nccl, topo-m or anynet [default: told by the content]")
      ->type_name("NAME");
  command->add_option("--graph", request.graph, "nodes and links as JSON; - is standard output [default: none]")
      ->type_name("FILE");
  command->add_flag("--strict", request.strict, "warnings are errors [default: off]");
  const auto completion = [&](const char* option, const char* key, const char* argument, const char* help) {
    command
        ->add_option_function<std::string>(
            option, [&request, key](const auto& text) { request.completion[key] = text; }, help)
        ->type_name(argument);
  };
  completion("--fill-nvlink", "fill_nvlink", "MACHINE",
             "NVLinks that a PCIe tree lacks: hgx-h100, hgx-a100, dgx2 or dgx1v [default: none]");
  completion("--sm", "sm", "N",
             "compute capability, which tells the rate of NVLinks [unit: 60 to 100; default: of the file]");
  completion("--rates", "rates", "KIND",
             "rates of the wires, or those that nccl plans with: wires or nccl [default: wires]");
  completion("--pcie", "pcie", "LINK", "PCIe links of which the file says nothing: gen4x16 [default: not known]");
  command
      ->add_option("--cycle", request.cycle,
                   "of anynet: a cycle, so that --graph has latencies in ns [unit: ps, ns, us; default: not known]")
      ->type_name("TIME");
  command
      ->add_option("--flit-rate", request.flit_rate,
                   "of anynet: rate of each link, for --graph [unit: MB/s, GB/s, Gb/s; default: not known]")
      ->type_name("RATE");
  command->add_flag("--summary", "print counts, as without it [default: on]");
  return command;
}

CLI::App* add_export(CLI::App& app, ExportRequest& request) {
  CLI::App* command = app.add_subcommand("export", "write a server or network as a file of NCCL, of topo -m or of BookSim");
  command->add_option("WHAT", request.what, "topology")->type_name("");
  command->add_option("MACHINE", request.machine, "topology file, or a name: dgx1v, fat_tree_2level:16")->type_name("");
  command->add_option("--format", request.format, "nccl, topo-m or anynet [default: nccl of servers, anynet of networks]")
      ->type_name("NAME");
  command->add_option("--out", request.out, "where to; - is standard output [unit: path; default: -]")->type_name("FILE");
  return command;
}

}  // namespace tributary
