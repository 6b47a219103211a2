#include "modules/roce/core/host_memory_port.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace tributary {
namespace {

using HeaderBytes = std::array<std::byte, AggregationHeader::bytes>;

HeaderBytes bytes_of(const AggregationHeader& h) {
  HeaderBytes bytes{};
  unsigned place = 0;
  const auto put = [&](std::uint32_t value, unsigned count) {
    for (unsigned shift = 8 * count; shift != 0; shift -= 8) bytes[place++] = static_cast<std::byte>(value >> (shift - 8));
  };
  put(AggregationHeader::tag, 4), put(h.ring, 2), put(h.rank, 2), put(h.message, 4), put(h.message_packets, 2);
  return bytes;  // flags: 0
}

}  // namespace

void read_payload(HostMemoryPort& memory, const WriteRequest& request, std::uint32_t offset, unsigned bytes, std::byte* to) {
  std::uint32_t data = offset;  // offset in the data
  if (request.tagged) {
    constexpr std::uint32_t header = AggregationHeader::bytes;
    if (offset < header) {
      const HeaderBytes all = bytes_of(request.header);
      const unsigned count = std::min(bytes, header - offset);
      std::memcpy(to, all.data() + offset, count);
      to += count, bytes -= count, offset += count;
    }
    data = offset - header;
  }
  const unsigned count = data < request.data_bytes ? std::min(bytes, request.data_bytes - data) : 0;
  if (count != 0) memory.read(request.local + data, to, count);
  if (bytes != count) std::memset(to + count, 0, bytes - count);
}

}  // namespace tributary
