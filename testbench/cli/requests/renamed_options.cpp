#include "testbench/cli/requests/renamed_options.h"

#include <algorithm>
#include <vector>

#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

using Names = std::vector<std::string>;

struct RenamedOption {
  Names commands;
  std::string old, now;
  Names values;  ///< values by which an old option is known if another option has its name now; empty: all values
};
const std::vector<RenamedOption>& renamed_options() {
  static const std::vector<RenamedOption> all{
      {{"run", "train", "estimate"}, "engine", "mode", {}},
      {{"train"}, "mode", "grouping", {"one_shot", "layer_wise", "bucket", "fusion", "partition"}},
      {{"train"}, "streams", "queues", {}},
      {{"sweep"}, "share", "shard", {}},
  };
  return all;
}

struct RenamedValue {
  std::string option, old, now;
};
const std::vector<RenamedValue>& renamed_values() {
  static const std::vector<RenamedValue> all{{"fidelity", "memo", "isolated"}};
  return all;
}

/// Paths of parameters, or beginnings of paths that end in a dot.
struct RenamedParameter {
  std::string old, now;
};
const std::vector<RenamedParameter>& renamed_parameters() {
  static const std::vector<RenamedParameter> all{{"comm.mode", "comm.grouping"}, {"comm.streams", "comm.queues"}};
  return all;
}

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

void refuse_renamed_option(const std::string& command, const std::string& option, const Setting& given) {
  const std::string dashes = given.where.rfind("--", 0) == 0 ? "--" : "";
  for (const RenamedOption& renamed : renamed_options())
    if (renamed.old == option && contains(renamed.commands, command) &&
        (renamed.values.empty() || contains(renamed.values, given.text)))
      throw InputError(given.where + " was renamed: use " + dashes + renamed.now);
}

void refuse_renamed_value(const std::string& option, const Setting& given) {
  for (const RenamedValue& renamed : renamed_values())
    if (renamed.option == option && renamed.old == given.text)
      throw InputError(given.where + ": " + renamed.old + " was renamed: use " + renamed.now);
}

void refuse_renamed_parameter(const Setting& assignment) {
  const std::string path = assignment.text.substr(0, assignment.text.find('='));
  for (const RenamedParameter& renamed : renamed_parameters()) {
    const bool prefix = renamed.old.back() == '.' && path.rfind(renamed.old, 0) == 0;
    if (path == renamed.old || prefix)
      throw InputError(assignment.where + ": " + path + " was renamed: use " + renamed.now +
                       path.substr(renamed.old.size()));
  }
}

}  // namespace tributary
