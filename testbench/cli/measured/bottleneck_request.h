#pragma once
/// The request of `tributary bottleneck`: searches for the bottlenecks of several set-ups.

#include <map>
#include <string>
#include <vector>

#include "testbench/cli/measured/measure_request.h"

namespace tributary {

/// One run whose bottleneck is searched for.
struct BottleneckSetUp {
  std::string name;  ///< `dgx2 push 1MiB`
  MeasureRequest request;
};

struct BottleneckRequest {
  std::vector<BottleneckSetUp> set_ups;
  std::string folder;   ///< keeps the results of reruns; empty: none are kept
  std::string json;     ///< file; `-`: standard output; empty: none
  std::string page;     ///< HTML file; empty: none
  std::string drawing;  ///< SVG file, for a single set-up; empty: none
  bool quiet = false;
};

/// Values of the options of `bottleneck` as given.
struct BottleneckOptions {
  std::string scenario;
  std::map<std::string, std::vector<std::string>> values;
  bool quiet = false;
};

struct BottleneckOption {
  const char* name;
  const char* argument;
  const char* help;
};
const std::vector<BottleneckOption>& bottleneck_options();

/// Throws InputError. A set-up that its platform refuses is only found when it runs.
BottleneckRequest make_bottleneck_request(const BottleneckOptions& options);

}  // namespace tributary
