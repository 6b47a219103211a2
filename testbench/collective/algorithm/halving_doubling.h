#pragma once
/// Recursive halving and doubling (Thakur, Rabenseifner, Gropp, Int. J. High Perform. Comput. Appl. 19, 2005).

#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

/// All-reduce among the largest power of two q <= ranks: reduce-scatter in log2 q exchanges with ranks at distance 1, 2, 4
/// ..., each of half of what is left, then all-gather the same way back. Ranks beyond a power of two first send all they
/// have to a partner, and get the result from it: ranks 0 to 2(ranks - q) - 1 are pairs, whose even one takes part.
/// Exchanges are the steps 1 to 2 log2 q. Throws ScheduleError when ranks < 1.
Schedule halving_doubling_allreduce(int ranks);

}  // namespace tributary::collective
