#pragma once
/// MeasuredPairs: speeds of transfers that meet, each pair of which is measured once together.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "testbench/run/training/pair_process.h"
#include "testbench/workload/training/ideal_run.h"
#include "testbench/workload/training/pair_rule.h"

namespace tributary {

class MeasuredPairs : public training::PairRule {
 public:
  /// `graph`: of the tasks that speed() is asked for. Its transfers have these times alone.
  using TimeOf = std::function<training::TransferTime(const training::Task&)>;
  MeasuredPairs(const training::TaskGraph& graph, TimeOf time)
      : graph_(graph), time_(std::move(time)), classes_(graph.tasks.size(), unknown) {}

  /// Returns the time of a transfer alone: among several queues if that was measured, else as TimeOf says.
  training::TransferTime time(const training::Task& task);
  /// Returns none for a pair that has not been measured, and remembers the pair.
  std::optional<double> speed(const training::Task& own, const training::Task& other) override;
  /// Measures the pairs that speed() has been asked for since the last call. Returns their number.
  std::size_t measure(PairProcess& process);

  std::size_t met() const { return pairs_.size(); }
  std::size_t measured() const;

 private:
  /// Number of transfers that are equal, or were measured together.
  using Class = std::uint32_t;
  struct Pair {
    training::TaskId first = 0, second = 0;
    bool asked = false;  ///< the process has answered
    std::optional<training::PairSpeeds> speeds = {};
  };
  training::TaskId number(const training::Task& task) const {
    return static_cast<training::TaskId>(&task - graph_.tasks.data());
  }

  Class class_of(const training::Task& task);
  Tick alone(training::TaskId task) { return time(graph_.tasks[task]).total; }
  void measure_alone(const Pair& pair, PairProcess& process);
  std::optional<training::PairSpeeds> speeds_of(const Pair& pair, PairProcess& process);

  static constexpr Class unknown = ~Class{0};
  const training::TaskGraph& graph_;
  TimeOf time_;
  std::map<std::string, Class> known_;
  std::vector<Class> classes_;                     ///< by task
  std::map<Class, Tick> alone_;                    ///< times among several queues, ps
  std::map<std::pair<Class, Class>, Pair> pairs_;  ///< the lesser class first
};

}  // namespace tributary
