#include "testbench/cli/command_parts.h"

namespace tributary {

CLI::App* add_bottleneck(CLI::App& app, BottleneckOptions& options) {
  CLI::App* command =
      app.add_subcommand("bottleneck", "find the parameters that bound a run, by reruns with each parameter moved");
  command
      ->add_option("SCENARIO", options.scenario,
                   "scenario file (YAML), as `sweep` reads it, in place of platforms, algorithms and sizes")
      ->type_name("");
  for (const BottleneckOption& option : bottleneck_options())
    command
        ->add_option_function<std::string>(
            std::string("--") + option.name,
            [&options, &option](const std::string& text) { options.values[option.name].push_back(text); }, option.help)
        ->type_name(option.argument)
        ->trigger_on_parse();
  command->add_flag("--quiet", options.quiet,
                    "print no estimate, no progress line and no line about the time used [default: off]");
  return command;
}

}  // namespace tributary
