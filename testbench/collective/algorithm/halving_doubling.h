#pragma once
/// Recursive halving and doubling (Thakur, Rabenseifner, Gropp, Int. J. High Perform. Comput. Appl. 19, 2005).

#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

/// All-reduce among the largest power of two q <= ranks: reduce-scatter in log2 q exchanges with ranks at distance 1, 2, 4,
/// ..., each of half of the remaining data, then all-gather in the reverse order. If ranks > q, ranks 0 to 2(ranks - q) - 1
/// form pairs: the odd rank first sends its whole message to the even one, which takes part in the exchanges and finally
/// returns the result. The exchanges are steps 1 to 2 log2 q. Throws ScheduleError when ranks < 1.
Schedule halving_doubling_allreduce(int ranks);

}  // namespace tributary::collective
