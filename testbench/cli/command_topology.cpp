#include "testbench/cli/command_parts.h"

namespace tributary {

CLI::App* add_import(CLI::App& app, ImportRequest& request) {
  CLI::App* command =
      app.add_subcommand("import", "read a topology file or a trace and print a summary, without simulation");
  command->add_option("WHAT", request.what, "topology or trace")->type_name("");
  const char* const files =
      "topology: file of NCCL, text of nvidia-smi topo -m, or anynet of BookSim; trace: Chakra trace, or PREFIX of "
      "PREFIX.0.et, PREFIX.1.et ...; text of ASTRA-sim or SimAI, log of NCCL, trace of PyTorch, layer table of SCALE-Sim";
  command->add_option("FILE", request.file, files)->type_name("");
  command
      ->add_option("--format", request.format,
                   "format of the file: nccl, topo-m or anynet [default: detected from the content]")
      ->type_name("NAME");
  command->add_option("--graph", request.graph, "nodes and links as JSON; - is standard output [unit: path; default: none]")
      ->type_name("FILE");
  command->add_flag("--strict", request.strict, "treat warnings as errors [default: off]");
  const auto completion = [&](const char* option, const char* key, const char* argument, const char* help) {
    command
        ->add_option_function<std::string>(
            option, [&request, key](const auto& text) { request.completion[key] = text; }, help)
        ->type_name(argument);
  };
  completion(
      "--fill-nvlink", "fill_nvlink", "MACHINE",
      "machine whose NVLinks are added to a PCIe tree without them: hgx-h100, hgx-a100, dgx2 or dgx1v [default: none]");
  completion("--sm", "sm", "N",
             "compute capability of the GPUs, which determines the rate of NVLinks [unit: 60 to 100; default: of the file]");
  completion("--rates", "rates", "KIND",
             "wires: rates of the wires; nccl: the rates with which NCCL plans [default: wires]");
  completion("--pcie", "pcie", "LINK", "PCIe links without a rate in the file: gen4x16 [default: unknown]");
  command
      ->add_option("--cycle", request.cycle,
                   "anynet: duration of a cycle, which gives --graph latencies in ns [unit: ps, ns, us; default: unknown]")
      ->type_name("TIME");
  command
      ->add_option("--flit-rate", request.flit_rate,
                   "anynet: rate of each link in --graph [unit: MB/s, GB/s, Gb/s; default: unknown]")
      ->type_name("RATE");
  command
      ->add_option(
          "--groups", request.groups,
          "trace: JSON file of process groups [unit: path; default: PREFIX.json or comm_group.json next to the trace]")
      ->type_name("FILE");
  command->add_flag("--summary", "print a summary of counts (always on) [default: on]");
  return command;
}

CLI::App* add_export(CLI::App& app, ExportRequest& request) {
  CLI::App* command = app.add_subcommand("export", "write a machine as a file of another program, or the pins of a block");
  command->add_option("WHAT", request.what, "topology or pins")->type_name("");
  command
      ->add_option("MACHINE", request.machine,
                   "topology file, or name of a server or network: dgx1v, fat_tree_2level:16; pins: block (`list pins`)")
      ->type_name("");
  command
      ->add_option("--format", request.format,
                   "format of the output: nccl, topo-m or anynet; pins: sv, cpp, markdown or bench [default: nccl for "
                   "servers, anynet for networks, sv for pins]")
      ->type_name("NAME");
  command->add_option("--out", request.out, "output file; - is standard output [unit: path; default: -]")->type_name("FILE");
  return command;
}

}  // namespace tributary
