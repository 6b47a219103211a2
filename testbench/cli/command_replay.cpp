#include "testbench/cli/command_parts.h"

namespace tributary {

CLI::App* add_replay(CLI::App& app, ReplayRequest& request) {
  CLI::App* command =
      app.add_subcommand("replay", "pass the record of a block to a block that is built alone, and compare the answers");
  command->add_option("DIR", request.folder, "folder of `run --record` [unit: path; required]")->type_name("");
  command
      ->add_option("--block", request.plugin,
                   "shared library with the block under test [unit: path; default: the model's own block]")
      ->type_name("FILE[:BLOCK]");
  command
      ->add_option("--compare", request.compare,
                   "all: answers, data and times are equal; data: answers and data; late:N: times may be up to N clocks "
                   "later [unit: name; default: all]")
      ->type_name("RULE");
  command->add_option("--csv", request.csv, "histogram of intervals and latencies [unit: path; default: none]")
      ->type_name("FILE");
  command->footer("Exit codes: 0 no difference; 1 differences; 2 bad input; 3 the block failed.");
  return command;
}

}  // namespace tributary
