#include "testbench/cli/completion.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "modules/base/nearest.h"
#include "modules/base/sysc/logging.h"
#include "platforms/topology/files/file_reading.h"
#include "testbench/cli/commands/list_command.h"
#include "testbench/cli/manual.h"
#include "testbench/cli/requests/carried_algorithms.h"
#include "testbench/cli/requests/run_request.h"
#include "testbench/cli/requests/schedule_request.h"
#include "testbench/cli/sweep/sweep_emit.h"
#include "testbench/observe/traced_signal.h"
#include "testbench/report/plot/csv_table.h"
#include "testbench/run/choices.h"
#include "testbench/run/family.h"
#include "testbench/run/session.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/models/model_list.h"
#include "testbench/workload/training/models/preset.h"
#include "testbench/workload/training/train_params.h"

namespace tributary {
namespace {

using Words = std::vector<std::string>;

/// Returns a column of a table of `tributary list` without its title and without repetitions.
template <class List>
Words column(List list, std::size_t index, const std::string& first = "") {
  std::stringstream text;
  list(text);
  Words words;
  std::string line;
  std::getline(text, line);
  while (std::getline(text, line)) {
    std::istringstream cells(line);
    Words row;
    for (std::string cell; cells >> cell;) row.push_back(cell);
    if (row.size() <= index || (!first.empty() && row[0] != first)) continue;
    if (std::find(words.begin(), words.end(), row[index]) == words.end()) words.push_back(row[index]);
  }
  return words;
}

/// Returns the value of an option in the words before the last.
std::string given(const Words& words, const std::string& option, const std::string& standard) {
  for (std::size_t i = 1; i + 2 < words.size(); ++i)
    if (words[i] == option) return words[i + 1];
  return standard;
}

/// Returns the family of the platform in the words before; null: all families.
const Family* family_given(const Words& words) {
  const std::string platform = given(words, "--platform", "");
  try {
    return platform.empty() ? nullptr : &family_of(platform);
  } catch (const std::exception&) {
    return nullptr;
  }
}

/// Returns the parameters that the command and the platform in the words before accept.
std::vector<ParameterField> fields_for(const Words& words, RunParameters& run, training::TrainParams& train) {
  const Family* const family = family_given(words);
  const ParameterSet platform = run.fields(), training = train.fields();
  std::vector<ParameterField> all;
  for (const ParameterField& field : platform.fields())
    if (family == nullptr || has_parameter(*family, field.path)) all.push_back(field);
  if (words.front() == "train") all.insert(all.end(), training.fields().begin(), training.fields().end());
  return all;
}

/// Returns the words of a field's legal values that the field accepts, and its default.
Words legal_values(const ParameterField& field) {
  Words words{field.default_text}, accepted;
  std::string legal = field.legal();
  std::replace(legal.begin(), legal.end(), ',', ' ');
  std::istringstream text(legal);
  for (std::string word; text >> word;) words.push_back(word);
  for (const std::string& word : words) {
    if (std::find(accepted.begin(), accepted.end(), word) != accepted.end()) continue;
    try {
      field.set(word);
      accepted.push_back(word);
    } catch (const std::exception&) {  // a word of the phrase, such as `to`
    }
  }
  return accepted;
}

/// Returns `PATH=`, or `PATH=VALUE` if the last word has a path.
Words assignments(const Words& words) {
  RunParameters run;
  training::TrainParams train;
  const std::string path = words.back().substr(0, words.back().find('='));
  const bool named = words.back().find('=') != std::string::npos;
  Words all;
  for (const ParameterField& field : fields_for(words, run, train))
    if (!named)
      all.push_back(field.path + "=");
    else if (field.path == path)
      for (const std::string& value : legal_values(field)) all.push_back(path + "=" + value);
  return all;
}

/// Returns the files and folders that the word after `prefix` begins.
Words paths(const std::string& prefix, const std::string& word) {
  const std::string begun = word.substr(prefix.size());
  const std::string folder = begun.substr(0, begun.rfind('/') == std::string::npos ? 0 : begun.rfind('/') + 1);
  Words all;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder.empty() ? "." : folder, error))
    all.push_back(prefix + folder + entry.path().filename().string() + (entry.is_directory(error) ? "/" : ""));
  std::sort(all.begin(), all.end());
  return all;
}

/// Returns the paths for `file:F` and its like; else nothing.
Words paths_after_prefix(const Words& words) {
  for (const char* prefix : {"file:", "nccl_xml:", "topo_m:", "msccl:"})
    if (words.back().rfind(prefix, 0) == 0) return paths(prefix, words.back());
  return {};
}

/// Returns the forms of platforms or topologies up to their first argument: `torus:` for torus:AxB.
Words without_arguments(const Words& forms) {
  Words all;
  for (const std::string& form : forms) {
    const std::size_t colon = form.find(':');
    const bool argument = colon != std::string::npos && std::any_of(form.begin() + static_cast<std::ptrdiff_t>(colon),
                                                                    form.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    const std::string word = argument ? form.substr(0, colon + 1) : form;
    if (std::find(all.begin(), all.end(), word) == all.end()) all.push_back(word);
  }
  return all;
}

/// Returns the columns of the table that a command plots.
Words columns_of_table(const Words& words) {
  for (std::size_t i = 1; i + 2 < words.size(); ++i) {
    std::ifstream file(words[i]);
    std::string names;
    if (words[i].rfind('-', 0) == 0 || !std::getline(file, names)) continue;
    try {
      return plot::CsvTable::parse(names, words[i]).columns();
    } catch (const InputError&) {
      continue;
    }
  }
  return {};
}

/// Returns the probes of the platform in the words before, level by level, because a large machine has 80 000. The name of a
/// level that has further levels ends in a dot.
Words probes(const Words& words) {
  start_logging("off");
  const Session session(default_run({given(words, "--platform", "dgx2"), "--platform"}));
  const std::string& begun = words.back();
  std::set<std::string> levels;
  for (const TracedSignal& signal : traceable_signals(session.probes())) {
    if (signal.name.rfind(begun, 0) != 0) continue;
    const std::size_t dot = signal.name.find('.', begun.size());
    levels.insert(dot == std::string::npos ? signal.name : signal.name.substr(0, dot + 1));
  }
  return {levels.begin(), levels.end()};
}

/// Returns the collectives of the platform's family. To check which of them the platform itself supports would take too
/// long.
Words collective_names(const Words& words) {
  const Family* const family = family_given(words);
  if (family == nullptr) return column([](std::ostream& out) { list_collectives(out); }, 0);
  return entry_names(collective_entries(family->algorithms()));
}
/// Returns the algorithms of the platform, or of all platforms if it is not given. Those that a small platform refuses are
/// left out; to check a large one would take too long.
Words algorithm_names(const Words& words) {
  constexpr int small = 16;  // endpoints
  const std::string platform = given(words, words.front() == "schedule" ? "--topology" : "--platform", "");
  const std::string collective = given(words, "--collective", "allreduce");
  const Family* const family = family_given(words);
  Words names;
  if (words.front() == "schedule" && !platform.empty()) try {
      return schedule_algorithms(platform, collective);
    } catch (const std::exception&) {
      return {};
    }
  if (family == nullptr) return column([](std::ostream& out) { list_algorithms(out); }, 1, collective);
  InputFiles files;
  const bool checked = family->platform(files.platform(platform)).endpoints <= small;
  for (const Algorithm& algorithm : checked ? carried_algorithms(platform, files) : family->algorithms())
    if (algorithm.collective == collective) names.push_back(algorithm.name);
  return names;
}

/// Returns the values of an option if they are known.
Words values(const std::string& option, const Words& words) {
  static const std::map<std::string, Words> enumerations{
      {"--dtype", {"f32", "f16", "bf16", "i32"}},
      {"--op", {"sum", "min", "max"}},
      {"--mode", {"windowed", "event", "fluid"}},
      {"--data", {"exact", "random"}},
      {"--bottleneck", {"line", "measured"}},
      {"--shard", {"auto"}},
      {"--emit", schedulers()},
      {"--fill-nvlink", topology::nvlink_machines()},
      {"--sm", {"60", "70", "80", "86", "90", "100"}},
      {"--rates", {"wires", "nccl"}},
      {"--format", {"nccl", "topo-m", "anynet"}},
      {"--background", {"uniform:", "incast:"}},
      {"--log-level", {"trace", "debug", "info", "warn", "error", "critical", "off"}}};
  static const std::map<std::string, Words> train_enumerations{
      {"--grouping", {"one_shot", "layer_wise", "bucket", "fusion", "partition"}},
      {"--order", {"fifo", "priority"}},
      {"--sharding", {"none", "optimizer", "gradients", "all"}},
      {"--compute", {"systolic", "roofline", "table"}}};
  const auto found = enumerations.find(option);
  if (found != enumerations.end()) return found->second;
  if (const auto own = train_enumerations.find(option); own != train_enumerations.end() && words.front() == "train")
    return own->second;
  if (const Words files = paths_after_prefix(words); !files.empty()) return files;
  if (option == "--platform") return without_arguments(column([](std::ostream& out) { list_platforms(out); }, 0));
  if (option == "--topology") return without_arguments(topology_names());
  if (words.front() == "plot" &&
      (option == "--x" || option == "--y" || option == "--by" || option == "--facet" || option == "--mean-over"))
    return columns_of_table(words);
  if (option == "--collective") return collective_names(words);
  if (option == "--algorithm") return algorithm_names(words);
  if (option == "--trace") return probes(words);
  if (option == "--model") return training::model_names();
  if (option == "--preset") return training::preset_names();
  return option == "--set" ? assignments(words) : Words{};
}

Words options(const CLI::App& command) {
  Words all;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) all.push_back("--" + name);
    for (const std::string& name : option->get_snames()) all.push_back("-" + name);
  }
  return all;
}

/// Returns the positional arguments of a command.
Words arguments(const CLI::App& command) {
  if (command.get_name() == "list") return list_subjects();
  if (command.get_name() == "completion") return {"bash", "zsh", "fish"};
  return {};
}

bool takes_value(const CLI::App& command, const std::string& word) {
  const CLI::Option* option = word.rfind("--", 0) == 0 ? command.get_option_no_throw(word) : nullptr;
  return option != nullptr && option->get_expected_min() > 0;
}

/// Returns the words with the long names of their options.
Words with_long_names(const CLI::App& command, Words words) {
  for (std::string& word : words) {
    if (word.size() != 2 || word.front() != '-' || word == "--") continue;
    const CLI::Option* option = command.get_option_no_throw(word);
    if (option != nullptr && !option->get_lnames().empty()) word = "--" + option->get_lnames().front();
  }
  return words;
}

Words candidates(CLI::App& app, const Words& words) {
  Words names;
  for (const CLI::App* command : shown_commands(app)) names.push_back(command->get_name());
  if (words.size() < 2) {
    const Words own = options(app);
    names.insert(names.end(), own.begin(), own.end());
    return names;
  }
  if (std::find(names.begin(), names.end(), words.front()) == names.end()) return {};
  if (words.front() == "help") return names;
  const CLI::App& command = *app.get_subcommand(words.front());
  const Words long_names = with_long_names(command, words);
  const std::string& before = long_names[long_names.size() - 2];
  if (takes_value(command, before)) return values(before, long_names);
  return words.back().rfind("-", 0) == 0 ? options(command) : arguments(command);
}

}  // namespace

std::vector<std::string> complete(CLI::App& app, const std::vector<std::string>& words) {
  const std::string prefix = words.empty() ? "" : words.back();
  Words all = candidates(app, words);
  all.erase(std::remove_if(all.begin(), all.end(), [&](const auto& word) { return word.rfind(prefix, 0) != 0; }), all.end());
  return all;
}

}  // namespace tributary
