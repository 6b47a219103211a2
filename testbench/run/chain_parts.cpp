#include "testbench/run/chain_parts.h"

#include <algorithm>
#include <map>
#include <set>

namespace tributary {
namespace {

struct Times {
  double own = 0, dependent = 0;  // fractions of the time of the run; `dependent` includes waits of other parts
};

std::map<std::string, Times> times_of(const BottleneckAccount& account) {
  std::map<std::string, Times> all;
  for (const PathPart& part : account.path) {
    all[part.parameter].own += part.time / account.time;
    all[part.parameter].dependent += part.time / account.time;
    for (const SharedTime& shared : part.shared) all[shared.parameter].dependent += shared.time / account.time;
  }
  return all;
}

}  // namespace

std::vector<ChainPart> binding_parts(const BottleneckAccount& account) {
  const std::map<std::string, Times> times = times_of(account);
  double most = 0;
  for (const auto& [parameter, time] : times) most = std::max(most, time.dependent);
  std::set<std::string> near;
  for (const auto& [parameter, time] : times)
    if (time.dependent > most - bottleneck_path_apart) near.insert(parameter);
  std::set<std::string> named = near;
  const double apart = bottleneck_path_apart * account.time;
  for (const PathPart& wait : account.path) {
    double largest = apart;
    for (const SharedTime& shared : wait.shared) {
      largest = std::max(largest, shared.time);
      if (shared.time > apart && near.count(shared.parameter) != 0) named.insert(wait.parameter);
    }
    for (const SharedTime& shared : wait.shared)
      if (near.count(wait.parameter) != 0 && shared.time > largest - apart && shared.time > apart)
        named.insert(shared.parameter);
  }
  std::vector<ChainPart> all;
  for (const std::string& parameter : named) all.push_back({parameter, times.at(parameter).own});
  std::stable_sort(all.begin(), all.end(), [](const ChainPart& x, const ChainPart& y) { return x.share > y.share; });
  return all;
}

}  // namespace tributary
