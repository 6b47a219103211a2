#include "modules/roce/core/host_memory_port.h"

#include <algorithm>
#include <cstring>

#include "modules/ethernet/core/aggregation_bytes.h"

namespace tributary {

DataRange data_in(const WriteRequest& request, std::uint32_t offset, unsigned bytes) {
  const std::uint32_t header = request.tagged ? AggregationHeader::bytes : 0;
  DataRange range;
  range.before = offset < header ? std::min(bytes, header - offset) : 0;
  range.offset = offset + range.before - header;
  range.bytes = range.offset < request.data_bytes ? std::min(bytes - range.before, request.data_bytes - range.offset) : 0;
  return range;
}

void fill_around(const WriteRequest& request, std::uint32_t offset, unsigned bytes, std::byte* to) {
  const DataRange data = data_in(request, offset, bytes);
  if (data.before != 0) {
    std::byte all[AggregationHeader::bytes];
    store_aggregation_header(request.header, all);
    std::memcpy(to, all + offset, data.before);
  }
  const unsigned filled = data.before + data.bytes;
  if (filled != bytes) std::memset(to + filled, 0, bytes - filled);
}

void read_payload(HostMemoryPort& memory, const WriteRequest& request, std::uint32_t offset, unsigned bytes, std::byte* to) {
  const DataRange data = data_in(request, offset, bytes);
  if (data.bytes != 0) memory.read(request.local + data.offset, to + data.before, data.bytes);
  fill_around(request, offset, bytes, to);
}

}  // namespace tributary
