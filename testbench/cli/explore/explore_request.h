#pragma once
/// The request of `tributary explore`.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "testbench/cli/explore/explore_method.h"
#include "testbench/cli/explore/explore_model.h"

namespace tributary {

struct ExploreRequest {
  std::shared_ptr<ExploreModel> model;
  std::shared_ptr<ExploreSearch> search;
  std::string folder;
  std::size_t jobs = 1;  ///< runs in parallel
  double budget_s = 0;   ///< 0: no limit
  bool quiet = false;
};

/// Values of the options of `explore` as given.
struct ExploreOptions {
  std::string file;
  std::map<std::string, std::string> values;
  bool quiet = false;
};

struct ExploreOption {
  const char* name;
  const char* argument;
  const char* help;
};
const std::vector<ExploreOption>& explore_options();

/// Throws InputError.
ExploreRequest make_explore_request(const ExploreOptions& options);

}  // namespace tributary
