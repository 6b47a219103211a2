#include "testbench/cli/command_parts.h"

namespace tributary {

CLI::App* add_netlist(CLI::App& app, Settings& given) {
  CLI::App* netlist = app.add_subcommand("netlist", "elaborate a platform and print its modules, sockets and bindings");
  const auto option = [&](const std::string& name, const char* argument, const char* help) {
    netlist
        ->add_option_function<std::string>(
            "--" + name,
            [&given, name](const std::string& text) {
              given.add(name, {text, "--" + name});
            },
            help)
        ->type_name(argument)
        ->trigger_on_parse();
  };
  option("platform", "NAME[:ARGS]", "platform to elaborate [default: dgx2]");
  option("set", "PATH=VALUE", "parameter of `list parameters` and its value; repeatable [default: none]");
  option("plugin", "FILE[:BLOCK]",
         "shared library whose blocks replace those of the platform; repeatable [unit: path; default: none]");
  option("json", "FILE", "netlist as JSON; - is standard output, which then holds nothing else [unit: path; default: none]");
  option("dot", "FILE", "netlist as a graph for Graphviz; - is standard output [unit: path; default: none]");
  return netlist;
}

}  // namespace tributary
