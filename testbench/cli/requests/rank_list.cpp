#include "testbench/cli/requests/rank_list.h"

#include <algorithm>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>

#include "modules/base/field_type.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

/// The items of a list: GPUs of a platform, or ranks of a job.
struct Numbered {
  const char* name;
  const char* owner;
  int count;
};

int parse_number(const std::string& text, const std::string& list, const Numbered& what) {
  std::uint64_t number = 0;
  try {
    number = parse_count(text, ~std::uint64_t{0});
  } catch (const UnitError&) {
    throw InputError("'" + list + "' is not a list of " + what.name + "s (legal: numbers and ranges such as 0-3,8)");
  }
  if (number >= static_cast<std::uint64_t>(what.count))
    throw InputError(std::string(what.owner) + " has no " + what.name + " " + text + " (legal: 0 to " +
                     std::to_string(what.count - 1) + ")");
  return static_cast<int>(number);
}

void append_unique(std::vector<int>& list, int number, const Numbered& what) {
  const std::string name = what.name;
  if (std::find(list.begin(), list.end(), number) != list.end())
    throw InputError(name + " " + std::to_string(number) + " is listed twice (legal: each " + name + " once)");
  list.push_back(number);
}

std::vector<int> parse_list(const std::string& text, const Numbered& what) {
  std::vector<int> list;
  std::vector<std::string> items;
  boost::split(items, text, boost::is_any_of(","));
  for (const std::string& item : items) {
    const auto dash = item.find('-');
    const int from = parse_number(item.substr(0, dash), text, what);
    const int to = dash == std::string::npos ? from : parse_number(item.substr(dash + 1), text, what);
    if (to < from)
      throw InputError("range '" + item + "' is reversed (legal: from the lower " + what.name + " to the higher)");
    for (int number = from; number <= to; ++number) append_unique(list, number, what);
  }
  return list;
}

std::vector<int> parse_several(const std::string& text, const Numbered& what) {
  std::vector<int> list = parse_list(text, what);
  if (list.size() < 2) throw InputError("'" + text + "' holds one " + what.name + " (legal: at least 2)");
  return list;
}

}  // namespace

std::vector<int> parse_rank_list(const std::string& text, int endpoints, const char* singular) {
  return parse_several(text, {singular, "the platform", endpoints});
}

std::vector<int> parse_node_list(const std::string& text, int nodes) {
  return parse_several(text, {"node", "the topology", nodes});
}

std::vector<int> parse_targets(const std::string& text, int ranks) { return parse_list(text, {"rank", "the job", ranks}); }

int parse_rank_count(const std::string& text, int most, const std::string& what) {
  const std::string legal = " (legal: 2 to " + std::to_string(most) + ")";
  std::uint64_t n = 0;
  try {
    n = parse_count(text, ~std::uint64_t{0});
  } catch (const UnitError& error) {
    throw InputError(error.what() + legal);
  }
  if (n < 2) throw InputError("a collective of " + text + " " + what + legal);
  if (n > static_cast<std::uint64_t>(most))
    throw InputError("the platform has " + std::to_string(most) + " " + what + legal);
  return static_cast<int>(n);
}

}  // namespace tributary
