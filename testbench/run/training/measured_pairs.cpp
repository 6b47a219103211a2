#include "testbench/run/training/measured_pairs.h"

#include <algorithm>

namespace tributary {

MeasuredPairs::Class MeasuredPairs::class_of(const training::Task& task) {
  Class& known = classes_.at(number(task));
  if (known == unknown) {
    const training::TransferTime time = time_(task);
    const std::string key =
        time.kind == 0 ? IsolatedGroups::key_of(task) : std::to_string(time.kind) + " " + std::to_string(time.message);
    known = known_.emplace(key, static_cast<Class>(known_.size())).first->second;
  }
  return known;
}

std::optional<double> MeasuredPairs::speed(const training::Task& own, const training::Task& other) {
  const Class mine = class_of(own), its = class_of(other);
  const bool first = mine <= its;
  const auto key = first ? std::pair(mine, its) : std::pair(its, mine);
  const Pair& pair = pairs_.emplace(key, Pair{number(first ? own : other), number(first ? other : own)}).first->second;
  if (!pair.speeds) return std::nullopt;
  return first ? pair.speeds->first : pair.speeds->second;
}

training::TransferTime MeasuredPairs::time(const training::Task& task) {
  training::TransferTime time = time_(task);
  if (const auto at = alone_.find(class_of(task)); at != alone_.end()) time.total = at->second;
  return time;
}

// A device of several queues reserves resources for each, such as a wave counter. An operation that is alone lacks those of
// the other queue, unlike in a run of its own. The second operation here begins long after the end of the first.
void MeasuredPairs::measure_alone(const Pair& pair, PairProcess& process) {
  const Class first = class_of(graph_.tasks[pair.first]), second = class_of(graph_.tasks[pair.second]);
  if (alone_.count(first) + alone_.count(second) == 2) return;
  constexpr Tick least = 1'000'000;
  const Tick delay = 4 * time_(graph_.tasks[pair.first]).total + least;
  const auto ends = process.ends({pair.first, pair.second, delay});
  if (!ends || ends->first >= delay || ends->second <= delay) return;
  alone_.emplace(first, ends->first);
  alone_.emplace(second, ends->second - delay);
}

// The shorter transfer begins in the middle of the longer one, whose waves and queues are then in a steady state, as those
// of a step are.
std::optional<training::PairSpeeds> MeasuredPairs::speeds_of(const Pair& pair, PairProcess& process) {
  const Tick first = alone(pair.first), second = alone(pair.second);
  if (first < second) {
    const auto swapped = speeds_of({pair.second, pair.first}, process);
    if (!swapped) return std::nullopt;
    return training::PairSpeeds{swapped->second, swapped->first};
  }
  const Tick delay = (first - second) / 2;
  const auto ends = process.ends({pair.first, pair.second, delay});
  if (!ends) return std::nullopt;
  return training::pair_speeds({first, second, delay, ends->first, ends->second});
}

std::size_t MeasuredPairs::measure(PairProcess& process) {
  std::size_t fresh = 0;
  for (auto& [key, pair] : pairs_) {
    if (pair.asked) continue;
    pair.asked = true;
    ++fresh;
    measure_alone(pair, process);
    pair.speeds = speeds_of(pair, process);
  }
  return fresh;
}

std::size_t MeasuredPairs::measured() const {
  return static_cast<std::size_t>(
      std::count_if(pairs_.begin(), pairs_.end(), [](const auto& pair) { return pair.second.speeds.has_value(); }));
}

}  // namespace tributary
