#include "testbench/workload/buffers.h"

namespace tributary {

void fill_ranges(const std::vector<OperandRange>& ranges, const workload::DataSpec& data, const MemoryOfRank& memory) {
  for (const OperandRange& p : ranges)
    workload::fill(memory(p.at.front()) + p.address, p.bytes, data, p.operands.front(), p.first_element);
}

void fill_buffers(const JobSpec& job, Bytes message, const workload::DataSpec& data, const MemoryOfRank& memory) {
  fill_ranges(collective_of(job.collective).initial(job, message), data, memory);
}

std::uint64_t count_wrong(const std::vector<OperandRange>& ranges, const workload::DataSpec& data,
                          const MemoryOfRank& memory) {
  std::uint64_t wrong = 0;
  for (const OperandRange& p : ranges) {
    std::vector<const void*> places;
    for (const int r : p.at) places.push_back(memory(r) + p.address);
    wrong += workload::count_wrong(places, p.bytes, data, p.operands, p.first_element);
  }
  return wrong;
}

}  // namespace tributary
