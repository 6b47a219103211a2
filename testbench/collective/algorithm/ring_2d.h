#pragma once
/// The two-dimensional ring all-reduce (docs/systems/multitree.md#baselines).

#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

/// Rank r x columns + c lies in row r, column c. A quarter of the message starts in each of the rings east, west, south and
/// north: an all-reduce round the ring of one dimension, then one round that of the other (east then south, west then north,
/// south then east, north then west). A ring of d ranks takes 2(d - 1) steps. On a square with sides above 2 no two quarters
/// use one direction at the same time; on a rectangle two of them enter the longer dimension while the others are still in
/// it. Throws ScheduleError unless both dimensions are at least 2.
Schedule ring_2d_allreduce(int rows, int columns);

}  // namespace tributary::collective
