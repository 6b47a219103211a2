#include "testbench/workload/buffers.h"

#include <utility>

#include "testbench/workload/memory_layout.h"

namespace tributary {

void fill_ranges(const std::vector<OperandRange>& ranges, const workload::DataSpec& data, const MemoryOfRank& memory,
                 unsigned threads) {
  for (const OperandRange& p : ranges)
    if (std::byte* const begin = memory(p.at.front()))
      workload::fill(begin + p.address, p.bytes, data, p.operands.front(), p.first_element, threads);
}

std::vector<OperandRange> of_all_kernels(const JobSpec& job, Bytes message, std::vector<OperandRange> ranges) {
  const std::uint64_t apart = MemoryLayout::of(job, message).of_kernel;
  const std::size_t count = ranges.size();
  for (unsigned k = 1; k < job.back_to_back; ++k)
    for (std::size_t i = 0; i < count; ++i) {
      OperandRange range = ranges[i];
      range.address += k * apart;
      range.first_element += k * (apart / element_size(job.type));
      ranges.push_back(std::move(range));
    }
  return ranges;
}

void fill_buffers(const JobSpec& job, Bytes message, const workload::DataSpec& data, const MemoryOfRank& memory,
                  unsigned threads) {
  fill_ranges(of_all_kernels(job, message, collective_of(job.collective).initial(job, message)), data, memory, threads);
}

std::uint64_t count_wrong(const std::vector<OperandRange>& ranges, const workload::DataSpec& data,
                          const MemoryOfRank& memory, unsigned threads) {
  std::uint64_t wrong = 0;
  for (const OperandRange& p : ranges) {
    std::vector<const void*> places;
    for (const int r : p.at)
      if (const std::byte* const begin = memory(r)) places.push_back(begin + p.address);
    if (!places.empty()) wrong += workload::count_wrong(places, p.bytes, data, p.operands, p.first_element, threads);
  }
  return wrong;
}

}  // namespace tributary
