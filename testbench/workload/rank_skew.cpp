#include "testbench/workload/rank_skew.h"

#include <algorithm>
#include <sstream>

#include "modules/base/random.h"
#include "testbench/workload/input_error.h"

namespace tributary {

Time RankSkew::longest() const {
  Time longest = most;
  for (const Time& t : each) longest = std::max(longest, t);
  return longest;
}

Time RankSkew::delay(std::size_t rank, std::uint64_t seed, std::size_t job, unsigned iteration) const {
  constexpr std::uint64_t stream = 0x736B6577;
  if (!each.empty()) return each.at(rank);
  const std::uint64_t random = random_at(seed, stream + job, std::uint64_t{iteration} << 32 | rank);
  return picoseconds(below(random, most.value + 1));
}

std::string RankSkew::text() const {
  if (each.empty()) return to_string(most);
  std::string text;
  for (const Time& t : each) text += (text.empty() ? "" : ",") + to_string(t);
  return text;
}

RankSkew parse_skew(const std::string& text, std::size_t ranks, Time longest) {
  std::vector<Time> times;
  std::istringstream list(text);
  for (std::string time; std::getline(list, time, ',');) {
    times.push_back(parse_time(time));
    if (times.back() > longest) throw InputError(time + " is too late (legal: up to " + to_string(longest) + ")");
  }
  RankSkew skew;
  if (times.size() == 1 && text.find(',') == std::string::npos)
    skew.most = times.front();
  else
    skew.each = times;
  if (times.empty() || (!skew.each.empty() && skew.each.size() != ranks) || text.back() == ',')
    throw InputError("'" + text + "' has " + std::to_string(times.size()) + " times for " + std::to_string(ranks) +
                     " ranks (legal: one time, the largest of random delays, or a time for each rank: 0us,5us)");
  return skew;
}

}  // namespace tributary
