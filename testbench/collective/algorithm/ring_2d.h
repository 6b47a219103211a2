#pragma once
/// The two-dimensional ring all-reduce (docs/systems/multitree.md#baselines).

#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

/// Rank r x columns + c is at row r, column c. One quarter of the message starts in each of the rings east, west, south and
/// north: an all-reduce around the ring of one dimension, then one around the ring of the other (east then south, west then
/// north, south then east, north then west). A ring of d ranks has 2(d - 1) steps. On a square with sides above 2, no two
/// quarters use the same direction simultaneously; on a rectangle, two quarters enter the longer dimension while the other
/// two still use it. Throws ScheduleError unless both dimensions are at least 2.
Schedule ring_2d_allreduce(int rows, int columns);

}  // namespace tributary::collective
