#include "testbench/cli/command_parts.h"

namespace tributary {

CLI::App* add_energy(CLI::App& app, EnergyRequest& request) {
  CLI::App* energy =
      app.add_subcommand("energy", "price the energy of stored results anew, or compare results, without simulation");
  energy->add_option("RESULT", request.results, "files of run --json; with several, the last row of each is compared")
      ->type_name("")
      ->required();
  energy
      ->add_option("--set", request.assignments,
                   "price of `list parameters`: energy.*, area.* or technology.*; repeatable [default: those of the file]")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->take_all();
  energy->add_option("--svg", request.drawing, "drawing of the parts as bars, one for each row [unit: path; default: none]")
      ->type_name("FILE");
  energy
      ->add_option("--accelergy", request.accelergy,
                   "folder for the counts and components of the first result, which Accelergy prices with its own tables "
                   "[unit: path; default: none]")
      ->type_name("DIR");
  energy->footer("Exit codes: 0 priced; 2 bad input; 3 a file could not be written.");
  return energy;
}

}  // namespace tributary
