#include "testbench/cli/command_line.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "modules/base/nearest.h"
#include "testbench/cli/command_errors.h"
#include "testbench/cli/command_parts.h"
#include "testbench/cli/commands/list_command.h"
#include "testbench/cli/completion.h"
#include "testbench/cli/help_text.h"
#include "testbench/cli/manual.h"
#include "testbench/cli/requests/choices.h"
#include "testbench/cli/requests/option_table.h"
#include "testbench/cli/requests/scenario.h"
#include "testbench/cli/version.h"
#include "testbench/report/screen_width.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

/// Values that CLI11 sets.
struct Parsed {
  std::string scenario;
  std::map<std::string, std::vector<std::string>> values;  // by option of `run`
  std::map<std::string, bool> flags;
  std::map<std::string, std::vector<std::string>> train_values;  // likewise for `train`
  std::map<std::string, bool> train_flags;
  std::vector<std::string> list_what;
  std::string list_platform;
  std::vector<std::string> list_plugins;
  bool markdown = false, schema = false;
  std::string sweep_file;
  SweepOptions sweep;
  ScheduleOptions schedule;
  VerifyRequest verify;
  ReplayRequest replay;
  StimulusRequest stimulus;
  EstimateOptions estimate;
  PlotArguments plot;
  EnergyRequest energy;
  Settings netlist;
  BottleneckOptions bottleneck;
  ExploreOptions explored;
  ImportRequest import;
  ExportRequest exported;
  std::string shell;
  std::string page;
  bool man = false;
  std::vector<std::string> words;  // words to complete
};

void add_rows(CLI::App& command, const std::vector<OptionRow>& rows, std::map<std::string, std::vector<std::string>>& given,
              std::map<std::string, bool>& flags) {
  for (const OptionRow& row : rows) {
    const std::string flag = flags_of(row);
    if (row.kind == OptionKind::flag)
      command.add_flag(flag, flags[row.name], describe(row));
    else
      command
          .add_option_function<std::string>(
              flag, [&values = given[row.name]](const std::string& text) { values.push_back(text); }, describe(row))
          ->type_name(row.argument)
          ->trigger_on_parse();
  }
}

CLI::App* add_run(CLI::App& app, Parsed& parsed) {
  CLI::App* run = app.add_subcommand("run", "simulate a workload on a platform, print the table and write results");
  run->add_option("SCENARIO", parsed.scenario,
                  "scenario file (YAML) with the options below as keys; options on the command line override it")
      ->type_name("");
  add_rows(*run, run_options(), parsed.values, parsed.flags);
  return run;
}

CLI::App* add_list(CLI::App& app, Parsed& parsed) {
  CLI::App* list = app.add_subcommand("list", "list " + join_names(list_subjects()));
  list->add_option("WHAT", parsed.list_what, join_names(list_subjects()))->type_name("");
  list->add_option("--platform", parsed.list_platform,
                   "platform whose algorithms, parameters, blocks or probes are listed [default: all; probes: dgx2]")
      ->type_name("NAME");
  list->add_option(
          "--plugin", parsed.list_plugins,
          "probes: shared library whose blocks replace those of the platform; repeatable [unit: path; default: none]")
      ->type_name("FILE[:BLOCK]")
      ->expected(1)
      ->take_all();
  list->add_flag("--markdown", parsed.markdown, "print parameters or results as a page of the manual [default: off]");
  list->add_flag("--schema", parsed.schema, "print results as a JSON schema [default: off]");
  return list;
}

CLI::App* add_sweep(CLI::App& app, Parsed& parsed) {
  CLI::App* sweep = app.add_subcommand(
      "sweep", "run every combination of a scenario whose values are lists, each in a process of its own");
  sweep
      ->add_option("SCENARIO", parsed.sweep_file,
                   "scenario file (YAML) in which any value may be a list; several documents run one after another")
      ->type_name("");
  const auto option = [&](const std::string& name, const char* argument, const char* help) {
    sweep
        ->add_option_function<std::string>(
            "--" + name, [&parsed, name](const auto& text) { parsed.sweep[name] = text; }, help)
        ->type_name(argument);
  };
  const auto flag = [&](const std::string& name, const char* help) {
    sweep->add_flag_callback(
        "--" + name, [&parsed, name] { parsed.sweep[name] = "true"; }, help);
  };
  option("out", "DIR",
         "folder of the results: DIR/results.csv and DIR/points/ID.json; finished points do not run again [unit: path; "
         "default: none]");
  option("jobs", "N", "number of points that run in parallel [unit: processes; default: 1]");
  option("index", "I[:J]",
         "run only this point, or points I to J, without writing results.csv, for job arrays [unit: number from 0; "
         "default: all]");
  option("shard", "I/N",
         "run only points I, I+N, I+2N, ... without writing results.csv; auto: the shard of this task of srun, mpirun or a "
         "job array [unit: number from 0 / number of shards; default: all]");
  option("emit", "SCHEDULER",
         "print a script that submits the points as a job array and then joins their results: slurm, sge, lsf or parallel "
         "[unit: name; default: none]");
  option("html", "FILE", "web page of the table, with a figure whose columns can be chosen [unit: path; default: none]");
  flag("energy",
       "add energy and area to results.csv, at the prices of the file, also for points that finished before [default: off]");
  flag("list", "print the points without running them [default: off]");
  flag("join", "write results.csv of the finished points without running any [default: off]");
  flag("quiet", "print no progress line [default: off]");
  return sweep;
}

CLI::App* add_train(CLI::App& app, Parsed& parsed) {
  CLI::App* train = app.add_subcommand(
      "train", "simulate the training of a neural network: computation, collectives and exposed communication");
  add_rows(*train, train_options(), parsed.train_values, parsed.train_flags);
  return train;
}

CLI::App* add_schedule(CLI::App& app, Parsed& parsed) {
  CLI::App* schedule = app.add_subcommand(
      "schedule", "build, prove and print a schedule for a network of NICs or a server, without simulation");
  add_table(*schedule, schedule_options(), parsed.schedule);
  return schedule;
}

CLI::App* add_verify(CLI::App& app, Parsed& parsed) {
  CLI::App* verify =
      app.add_subcommand("verify", "prove an MSCCL algorithm: correct data, no deadlock, no race; without simulation");
  verify->add_option("FILE", parsed.verify.file, "MSCCL XML file [unit: path; required]")->type_name("");
  verify->add_flag("--strict", parsed.verify.strict, "treat warnings as errors [default: off]");
  verify->footer("Exit codes: 0 proved; 1 not proved; 2 bad input.");
  return verify;
}

CLI::App* add_estimate(CLI::App& app, Parsed& parsed) {
  CLI::App* estimate =
      app.add_subcommand("estimate", "estimate an all-reduce on Ethernet by equations and a flow model, without simulation");
  add_table(*estimate, estimate_options(), parsed.estimate);
  return estimate;
}

CLI::App* add_completion(CLI::App& app, Parsed& parsed) {
  CLI::App* completion = app.add_subcommand("completion", "print the completion script of a shell: bash, zsh or fish");
  completion->add_option("SHELL", parsed.shell, "bash, zsh or fish")->type_name("");
  return completion;
}

CLI::App* add_help(CLI::App& app, Parsed& parsed) {
  CLI::App* help = app.add_subcommand("help", "print the help of a command");
  help->add_option("COMMAND", parsed.page, "command to explain [default: all commands]")->type_name("");
  help->add_flag("--man", parsed.man, "print a manual page, for man -l [default: off]");
  return help;
}

/// Adds the hidden command that the completion scripts call.
CLI::App* add_complete(CLI::App& app, Parsed& parsed) {
  CLI::App* complete = app.add_subcommand("complete", "")->group("");
  complete->add_option("WORDS", parsed.words);
  return complete;
}

std::string help_text(CLI::App& app, const Parsed& parsed) {
  if (parsed.page.empty()) return parsed.man ? manual_page(app) : program_help(app, screen_width());
  const std::vector<std::string> names = command_names(app);
  if (std::find(names.begin(), names.end(), parsed.page) == names.end())
    throw InputError(unknown_name("command", parsed.page, names));
  const CLI::App& command = *app.get_subcommand(parsed.page);
  return parsed.man ? manual_page(command) : command_help(command, screen_width());
}

std::string lines(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + "\n";
  return text;
}

Settings given_settings(const std::map<std::string, std::vector<std::string>>& all_values,
                        const std::map<std::string, bool>& flags) {
  Settings settings;
  for (const auto& [option, values] : all_values)
    for (const std::string& value : values) settings.add(option, {value, "--" + option});
  for (const auto& [option, given] : flags)
    if (given) settings.add(option, {"true", "--" + option});
  return settings;
}

Settings settings_of(const Parsed& parsed) {
  Settings settings = given_settings(parsed.values, parsed.flags);
  settings.check();
  if (parsed.scenario.empty()) return settings;
  settings.complete_from(read_scenario(parsed.scenario));
  settings.add("scenario", {parsed.scenario, "SCENARIO"});
  return settings;
}

ListRequest list_request(const Parsed& parsed) {
  const std::string legal = " (legal: " + join_names(list_subjects()) + ")";
  if (parsed.list_what.empty()) throw InputError("list: a subject is missing" + legal);
  const std::string& what = parsed.list_what.front();
  const std::size_t most = what == "pins" ? 2 : 1;
  if (parsed.list_what.size() > most) throw InputError("unexpected argument '" + parsed.list_what[most] + "'" + legal);
  if (std::find(list_subjects().begin(), list_subjects().end(), what) == list_subjects().end())
    throw InputError(unknown_name("subject", what, list_subjects()));
  if (parsed.markdown && what != "parameters" && what != "results")
    throw InputError("--markdown requires `list parameters` or `list results`");
  if (!parsed.list_plugins.empty() && what != "probes") throw InputError("--plugin requires `list probes`");
  if (parsed.schema && what != "results") throw InputError("--schema requires `list results`");
  if (parsed.schema && parsed.markdown) throw InputError("--schema and --markdown exclude each other");
  InputFiles files;
  if (!parsed.list_platform.empty()) find_platform(parsed.list_platform, "--platform", files);
  return {what,
          {parsed.list_platform, "--platform"},
          parsed.markdown,
          parsed.schema,
          parsed.list_what.size() > 1 ? parsed.list_what[1] : "",
          parsed.list_plugins,
          std::move(files)};
}

}  // namespace

Command parse_command_line(const std::vector<std::string>& arguments) {
  if (asks_for_version(arguments)) return PrintText{version_line()};
  CLI::App app{"Tributary simulates in-network reduction hardware and the collectives that run on it.", "tributary"};
  app.require_subcommand(0, 1);
  app.set_version_flag("-v,--version", "tributary " TRIBUTARY_VERSION);
  Parsed parsed;
  const CLI::App* run = add_run(app, parsed);
  const CLI::App* sweep = add_sweep(app, parsed);
  const CLI::App* train = add_train(app, parsed);
  const CLI::App* bottleneck = add_bottleneck(app, parsed.bottleneck);
  const CLI::App* explored = add_explore(app, parsed.explored);
  const CLI::App* schedule = add_schedule(app, parsed);
  const CLI::App* verify = add_verify(app, parsed);
  const CLI::App* replay = add_replay(app, parsed.replay);
  const CLI::App* stimulus = add_stimulus(app, parsed.stimulus);
  const CLI::App* estimate = add_estimate(app, parsed);
  const CLI::App* netlist = add_netlist(app, parsed.netlist);
  const CLI::App* import = add_import(app, parsed.import);
  const CLI::App* exported = add_export(app, parsed.exported);
  const CLI::App* plot = add_plot(app, parsed.plot);
  const CLI::App* energy = add_energy(app, parsed.energy);
  const CLI::App* list = add_list(app, parsed);
  const CLI::App* completion = add_completion(app, parsed);
  const CLI::App* help = add_help(app, parsed);
  const CLI::App* completed = add_complete(app, parsed);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // CLI11 pops from the back
  } catch (const CLI::CallForHelp&) {
    for (const CLI::App* command : shown_commands(app))
      if (command->parsed()) return PrintText{command_help(*command, screen_width())};
    return PrintText{program_help(app, screen_width())};
  } catch (const CLI::CallForVersion&) {
    return PrintText{version_line()};
  } catch (const CLI::ParseError& error) {
    explain(error, app);
  }
  if (run->parsed()) {
    RunRequest request = make_run_request(settings_of(parsed));
    request.output.command = "tributary";
    for (const std::string& argument : arguments) request.output.command += " " + argument;
    return request;
  }
  if (sweep->parsed())
    return make_sweep_request(parsed.sweep_file, parsed.sweep, [](auto* name) { return std::getenv(name); });
  if (train->parsed()) return make_train_request(given_settings(parsed.train_values, parsed.train_flags));
  if (bottleneck->parsed()) return make_bottleneck_request(parsed.bottleneck);
  if (explored->parsed()) return make_explore_request(parsed.explored, [](auto* name) { return std::getenv(name); });
  if (schedule->parsed()) return make_schedule_request(parsed.schedule);
  if (verify->parsed()) return parsed.verify;
  if (replay->parsed()) return parsed.replay;
  if (stimulus->parsed()) return parsed.stimulus;
  if (estimate->parsed()) return make_estimate_request(parsed.estimate);
  if (import->parsed()) return parsed.import;
  if (exported->parsed()) return parsed.exported;
  if (netlist->parsed()) return make_netlist_request(parsed.netlist);
  if (plot->parsed()) return make_plot_request(parsed.plot.results, parsed.plot.other, parsed.plot.options);
  if (energy->parsed()) return parsed.energy;
  if (list->parsed()) return list_request(parsed);
  if (completion->parsed()) return PrintText{completion_script(parsed.shell)};
  if (help->parsed()) return PrintText{help_text(app, parsed)};
  if (completed->parsed()) return PrintText{lines(complete(app, parsed.words))};
  return PrintText{program_help(app, screen_width())};
}

}  // namespace tributary
