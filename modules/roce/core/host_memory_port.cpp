#include "modules/roce/core/host_memory_port.h"

#include <algorithm>
#include <cstring>

#include "modules/ethernet/core/aggregation_bytes.h"

namespace tributary {

void read_payload(HostMemoryPort& memory, const WriteRequest& request, std::uint32_t offset, unsigned bytes, std::byte* to) {
  std::uint32_t data = offset;  // offset in the data
  if (request.tagged) {
    constexpr std::uint32_t header = AggregationHeader::bytes;
    if (offset < header) {
      std::byte all[header];
      store_aggregation_header(request.header, all);
      const unsigned count = std::min(bytes, header - offset);
      std::memcpy(to, all + offset, count);
      to += count, bytes -= count, offset += count;
    }
    data = offset - header;
  }
  const unsigned count = data < request.data_bytes ? std::min(bytes, request.data_bytes - data) : 0;
  if (count != 0) memory.read(request.local + data, to, count);
  if (bytes != count) std::memset(to + count, 0, bytes - count);
}

}  // namespace tributary
