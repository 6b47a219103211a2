#pragma once
/// StepRun: a graph that the simulated endpoints execute themselves, packet by packet: fidelity `full`.

#include <memory>

#include "testbench/run/runner.h"
#include "testbench/run/session.h"
#include "testbench/run/training/graph_algorithms.h"
#include "testbench/workload/training/compute/software_collective.h"
#include "testbench/workload/training/device_step.h"

namespace tributary {

class StepRun {
 public:
  /// Elaborates the platform; nothing runs yet. `base`: platform and parameters, and in its first job the endpoints of the
  /// ranks, the element type, and the algorithm of collectives without one. Throws SetupError; throws InputError if devices
  /// cannot execute the graph.
  StepRun(const RunSpec& base, const training::TaskGraph& graph, const training::Stragglers& stragglers,
          const training::SoftwareCollectiveParams& ring);
  ~StepRun();

  /// Runs the whole graph. A status other than done ends the run. With data, every element of every operation is checked.
  /// Ends the waveform and writes the timeline.
  ResultRow run(const Runner::Progress& progress = nullptr);
  /// Returns the times of all tasks, after run().
  training::IdealRun measured() const;

  std::size_t operations() const;
  const GraphAlgorithms& algorithms() const { return algorithms_; }
  KernelUse kernel() const;
  /// Session::hashes.
  Hashes hashes() const;
  /// Runner::observer_notes.
  std::vector<ObserverNote> observer_notes() const;
  const RunParameters& parameters() const;
  /// Runner::one_lane_because.
  std::string one_lane_because() const;

 private:
  struct Recorder;
  const training::TaskGraph& graph_;
  GraphAlgorithms algorithms_;
  training::DeviceStep step_;
  RunSpec spec_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<Recorder> recorder_;
};

}  // namespace tributary
