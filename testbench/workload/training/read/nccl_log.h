#pragma once
/// Collectives in a debug log of NCCL (NCCL_DEBUG=INFO, NCCL_DEBUG_SUBSYS=COLL; with INIT for the ranks of communicators):
///
///     host:100:101 [0] NCCL INFO AllReduce: opCount 0 sendbuff 0x7f1 recvbuff 0x7f2 count 1024 datatype 7 op 0 root 0 comm
///     0x5631 [nranks=8] stream 0x5640
///     host:100:101 [0] NCCL INFO ncclCommInitRank comm 0x5631 rank 0 nranks 8 cudaDev 0 busId 1b000 commId 0x9f - Init
///     COMPLETE

#include <istream>
#include <string>
#include <vector>

#include "testbench/workload/training/read/recorded_calls.h"

namespace tributary::training {

/// True if a text has a line of NCCL at the level INFO.
bool holds_nccl_log(const std::string& text);

/// Reads the processes that call collectives, in the order of their first call. Other lines are skipped. Throws InputError:
/// `path:line: what`.
std::vector<RecordedProcess> read_nccl_log(std::istream& file, const std::string& path);

}  // namespace tributary::training
