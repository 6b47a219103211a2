#pragma once
/// Exchanges of several servers whose data leave a server by a NIC of the destination's place: all-to-all, send and receive.

#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

/// An all-to-all of `servers` servers with `each` ranks; rank i q + j is place j of the i-th server. Data for place g of
/// another server go to place g of their own server, which sends them on. Ranks of one server exchange data directly.
/// Chunks are those of direct_alltoall(). Throws ScheduleError if there are no ranks.
Schedule alltoall_by_rails(int servers, int each);

/// As direct_sendrecv(), in `chunks` chunks, but what the last rank of a server sends goes to the first rank of its own
/// server, which sends it to the next server. Chunk k of rank r is r x chunks + k. Relays send chunks on in any order,
/// because each send waits for its ACK. Throws ScheduleError if there are no ranks.
Schedule sendrecv_by_rails(int servers, int each, int chunks);

}  // namespace tributary::collective
