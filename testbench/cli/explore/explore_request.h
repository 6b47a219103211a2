#pragma once
/// The request of `tributary explore`.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "testbench/cli/explore/explore_comparison.h"
#include "testbench/cli/explore/explore_method.h"
#include "testbench/cli/explore/explore_model.h"
#include "testbench/cli/explore/explore_runs.h"

namespace tributary {

enum class ExploreAction : std::uint8_t { run, list, emit, example };

struct ExploreRequest {
  std::shared_ptr<ExploreModel> model;
  std::shared_ptr<ExploreSearch> search;
  std::string folder;
  std::string file;
  std::string page;  ///< HTML file; empty: none
  ExploreAction action = ExploreAction::run;
  ExploreRunOptions runs;
  std::optional<OtherFront> other;  ///< front to compare with
  std::string scheduler;            ///< emit: scheduler of the script
  std::size_t tasks = 1;            ///< emit: number of tasks
  bool quiet = false;
};

/// Values of the options of `explore` as given.
struct ExploreOptions {
  std::string file;
  std::map<std::string, std::string> values;
  bool quiet = false, list = false, resume_only = false, example = false;
};

struct ExploreOption {
  const char* name;
  const char* argument;
  const char* help;
};
const std::vector<ExploreOption>& explore_options();

/// Reads `environment` only for `share` = `auto`. Throws InputError.
ExploreRequest make_explore_request(const ExploreOptions& options, const Environment& environment);

}  // namespace tributary
