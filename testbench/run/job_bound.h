#pragma once
/// What a job can reach at most.

#include "platforms/catalog.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// GB/s of algbw, from the bounds of testbench/collective; 0 when nothing crosses a link.
double bound_GBps(const JobSpec& job, Bytes message, const PlatformParams& params, const Machine& machine);

/// busbw = algbw x this (nccl-tests): 2(n-1)/n for an all-reduce; (n-1)/n for what leaves each rank its own part:
/// all-gather, gather, reduce-scatter, all-to-all; else 1.
double bus_factor(const JobSpec& job);

}  // namespace tributary
