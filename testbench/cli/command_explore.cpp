#include "testbench/cli/command_parts.h"

namespace tributary {

CLI::App* add_explore(CLI::App& app, ExploreOptions& options) {
  CLI::App* command = app.add_subcommand(
      "explore", "search a design space for the best points, by grids, samples, evolution, bisection or sensitivity");
  command
      ->add_option("FILE", options.file,
                   "file (YAML) with variables, workloads, constraints, objectives and a method; --example prints one with "
                   "every key")
      ->type_name("");
  command->add_flag("--example", options.example,
                    "print a file with every key and with comments, and run nothing [default: off]");
  add_table(*command, explore_options(), options.values);
  command->add_flag("--list", options.list,
                    "print the points that the finished runs ask for, and run nothing [default: off]");
  command->add_flag("--resume-only", options.resume_only,
                    "write the tables of the finished runs, and run nothing [default: off]");
  command->add_flag("--quiet", options.quiet, "print no progress line and no line about the time used [default: off]");
  return command;
}

}  // namespace tributary
