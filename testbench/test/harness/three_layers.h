#pragma once
/// A small step of data-parallel training, and times of its transfers by their bytes.

#include "testbench/workload/training/data_parallel.h"
#include "testbench/workload/training/ideal_run.h"

namespace tributary::training {

/// Three layers: forward 1, backward 2, all-reduce 3 units; a unit is a ps.
inline DataParallelSpec three_layers(int iterations = 5) {
  DataParallelSpec spec;
  spec.ranks = 4;
  for (const char* name : {"one", "two", "three"})
    spec.layers.push_back({name, {3}, Work::of_time(1), Work::of_time(1), Work::of_time(1), -1});
  spec.iterations = iterations;
  return spec;
}

/// Four bytes need `unit` ps.
inline IdealOptions per_unit(Tick unit = 1, unsigned sms = 0) {
  IdealOptions options;
  options.transfer = [=](const Task& task) { return TransferTime{task.transfer.bytes / 4 * unit, 0, sms}; };
  return options;
}

}  // namespace tributary::training
