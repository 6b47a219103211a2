#pragma once
/// The file of `tributary explore` (docs/explore.md): a space, workloads, constraints, objectives and a method.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "testbench/cli/requests/settings.h"
#include "testbench/explore/space.h"

namespace tributary {

/// A text of the file with its place.
struct ExploreText {
  std::string text;
  std::string where;  ///< `file.yaml:7: constraints`
};

/// One run or training of each point.
struct ExploreWorkload {
  std::string name;
  Settings settings;
  bool training = false;
};

struct ExploreVariable {
  explore::Variable variable;
  std::string target;  ///< path of a parameter, or name of an option; empty: the variable serves expressions alone
  bool is_option = false;
  std::string where;
};

struct ExploreDefinition {
  std::string name;
  ExploreText text;
};

struct ExploreObjective {
  std::string name;  ///< empty: the text
  ExploreText text;
  bool maximised = false;
};

/// Keys of `method`; each kind has its own.
struct ExploreMethod {
  std::string kind;   ///< grid, sample, bisect, halving, evolution, sensitivity
  std::string where;  ///< place of the method
  std::size_t points = 0, population = 24, generations = 12, start = 0, over = 0;
  double keep = 0, least_growth = 0;
  std::string sequence = "sobol", variable, design = "morris";
  bool against_last = true;
  bool at_knee = false;  ///< oat: from the knee of an evolution; else from the baseline
  std::optional<ExploreText> of;
  std::vector<Settings> rungs;  ///< overrides of the workloads, the cheapest rung first; the last one is usually empty
};

struct ExploreFile {
  std::string path;
  std::vector<ExploreWorkload> workloads;
  std::vector<ExploreVariable> variables;
  std::vector<ExploreDefinition> definitions;
  std::vector<ExploreDefinition> derived;  ///< parameters whose values follow from variables
  std::vector<ExploreText> constraints;
  std::vector<ExploreObjective> objectives;
  ExploreMethod method;
  std::uint64_t seed = 1;
  std::size_t seeds = 1;
  std::optional<std::vector<std::string>> baseline;  ///< texts of all variables, in their order
  std::string baseline_where;
  bool assumptions = false;  ///< the assumed parameters move at the knee and its neighbours
};

/// Reads a file. Expressions and values are not checked yet. Throws InputError with file and line.
ExploreFile read_explore_file(const std::string& path);

}  // namespace tributary
