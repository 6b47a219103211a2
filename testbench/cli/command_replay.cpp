#include "testbench/cli/command_parts.h"

namespace tributary {

CLI::App* add_replay(CLI::App& app, ReplayRequest& request) {
  CLI::App* command =
      app.add_subcommand("replay", "pass the record of a block to a block that is built alone, and compare the answers");
  command
      ->add_option("DIR", request.folder,
                   "folder of a record, which `run --record` or `stimulus` has written [unit: path; required]")
      ->type_name("");
  command
      ->add_option("--block", request.plugin,
                   "shared library with the block under test [unit: path; default: the model's own block]")
      ->type_name("FILE[:BLOCK]");
  command
      ->add_option("--compare", request.compare,
                   "all: answers, data and times are equal; data: answers and data; late:N: times may be 0 to N clocks "
                   "later, never earlier [unit: name; default: all]")
      ->type_name("RULE");
  command
      ->add_option("--stall", request.stall,
                   "percent of the clocks in which the answers of a block in RTL wait, at random; contents are compared "
                   "[unit: percent; default: 0]")
      ->type_name("P");
  command->add_option("--seed", request.seed, "--stall: random seed [unit: whole number; default: 1]")->type_name("N");
  command
      ->add_option("--x-seeds", request.x_seeds,
                   "seeds of random values in the registers of a block in RTL, which must not change its answers "
                   "[unit: whole number; default: 0]")
      ->type_name("N");
  command
      ->add_option_function<std::string>(
          "--trace-rtl", [&request](const std::string& text) { request.traced.push_back(text); },
          "instances of a block in RTL, built with TRACE, that write all of their signals to NAME.vcd: replay.block, with "
          "--x-seeds also replay_seed1.block and so on; repeatable [unit: glob; default: none]")
      ->type_name("GLOB")
      ->trigger_on_parse();
  command
      ->add_option_function<std::string>(
          "--trace-rtl-dir", [&request](const std::string& text) { request.trace_folder = text; },
          "--trace-rtl: folder of the files [unit: path; default: .]")
      ->type_name("DIR");
  command->add_option("--csv", request.csv, "histogram of intervals and latencies [unit: path; default: none]")
      ->type_name("FILE");
  command->footer("Exit codes: 0 no difference; 1 differences; 2 bad input; 3 the block failed.");
  return command;
}

CLI::App* add_stimulus(CLI::App& app, StimulusRequest& request) {
  CLI::App* command =
      app.add_subcommand("stimulus", "write a record of generated requests with the answers of the model's own block");
  command->add_option("BLOCK", request.spec.block, "block of `list stimulus` [unit: name; required]")->type_name("");
  command->add_option("-o,--out", request.spec.folder, "folder of the record [unit: path; required]")->type_name("DIR");
  command->add_option("--case", request.spec.kind, "named sequence of `list stimulus` [unit: name; default: random]")
      ->type_name("NAME");
  command->add_option("--count", request.count, "most transactions [unit: transactions; default: 1000]")->type_name("N");
  command
      ->add_option(
          "--dtype", request.type,
          "element type of all requests: f64, f32, f16, bf16, i8, i16, i32 or i64 [unit: name; default: of the case]")
      ->type_name("TYPE");
  command->add_option("--op", request.op, "operation of all requests: sum, min or max [unit: name; default: of the case]")
      ->type_name("OP");
  command
      ->add_option("--operands", request.operands,
                   "operands of all slots of a combinator, 1 to 64 [unit: operands; default: of the case]")
      ->type_name("N");
  command->add_option("--seed", request.seed, "random seed [unit: whole number; default: 1]")->type_name("N");
  command
      ->add_option_function<std::string>(
          "--set", [&request](const std::string& text) { request.spec.config.push_back(text); },
          "key of the block's configuration in record.json, and its value; repeatable [default: none]")
      ->type_name("KEY=VALUE")
      ->trigger_on_parse();
  return command;
}

}  // namespace tributary
