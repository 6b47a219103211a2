#pragma once
/// Where a collective's buffers lie in the memory of each of its GPUs.

#include <cstdint>

#include "modules/base/units.h"
#include "testbench/collective/parts.h"
#include "testbench/driver/run_spec.h"

namespace tributary {

/// From address 0 on: the message, of which parts begin at whole blocks; for an all-to-all the parts that are received; the
/// blocks of a pull's barrier; the mailboxes of a software schedule.
struct MemoryLayout {
  std::uint64_t received = 0;
  std::uint64_t barrier = 0;
  std::uint64_t mailboxes = 0;

  static MemoryLayout of(const JobSpec& job, Bytes message);
};

collective::Parts parts_of(const JobSpec& job, Bytes message);

}  // namespace tributary
