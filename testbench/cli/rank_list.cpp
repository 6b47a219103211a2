#include "testbench/cli/rank_list.h"

#include <algorithm>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>

#include "modules/base/field_type.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

int parse_gpu(const std::string& text, const std::string& list, int gpus) {
  std::uint64_t gpu = 0;
  try {
    gpu = parse_count(text, ~std::uint64_t{0});
  } catch (const UnitError&) {
    throw InputError("'" + list + "' is no list of GPUs (legal: numbers and ranges such as 0-3,8)");
  }
  if (gpu >= static_cast<std::uint64_t>(gpus))
    throw InputError("the platform has no GPU " + text + " (legal: 0 to " + std::to_string(gpus - 1) + ")");
  return static_cast<int>(gpu);
}

void append_unique(std::vector<int>& ranks, int gpu) {
  if (std::find(ranks.begin(), ranks.end(), gpu) != ranks.end())
    throw InputError("GPU " + std::to_string(gpu) + " is listed twice (legal: each GPU once)");
  ranks.push_back(gpu);
}

}  // namespace

std::vector<int> parse_rank_list(const std::string& text, int gpus) {
  std::vector<int> ranks;
  std::vector<std::string> items;
  boost::split(items, text, boost::is_any_of(","));
  for (const std::string& item : items) {
    const auto dash = item.find('-');
    const int from = parse_gpu(item.substr(0, dash), text, gpus);
    const int to = dash == std::string::npos ? from : parse_gpu(item.substr(dash + 1), text, gpus);
    if (to < from) throw InputError("range '" + item + "' runs backwards (legal: from the lower GPU to the higher)");
    for (int gpu = from; gpu <= to; ++gpu) append_unique(ranks, gpu);
  }
  if (ranks.size() < 2) throw InputError("'" + text + "' is one GPU (legal: at least 2)");
  return ranks;
}

int parse_gpu_count(const std::string& text, int gpus) {
  const std::string legal = " (legal: 2 to " + std::to_string(gpus) + ")";
  std::uint64_t n = 0;
  try {
    n = parse_count(text, ~std::uint64_t{0});
  } catch (const UnitError& error) {
    throw InputError(error.what() + legal);
  }
  if (n < 2) throw InputError("a collective of " + text + " GPUs" + legal);
  if (n > static_cast<std::uint64_t>(gpus)) throw InputError("the platform has " + std::to_string(gpus) + " GPUs" + legal);
  return static_cast<int>(n);
}

}  // namespace tributary
