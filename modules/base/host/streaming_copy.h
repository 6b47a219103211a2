#pragma once
/// copy_streaming(): copies into the model's memories without polluting the host's caches, which are smaller and needed for
/// the state of the devices.

#include <cstddef>
#include <cstdint>
#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace tributary {

/// std::memcpy that writes whole cache lines with non-temporal stores. For data not read again soon.
inline void copy_streaming(std::byte* to, const std::byte* from, std::size_t bytes) {
#ifdef __SSE2__
  constexpr std::size_t line = 64, vector = sizeof(__m128i);
  const std::size_t head = (line - reinterpret_cast<std::uintptr_t>(to) % line) % line;
  if (bytes >= head + line) {
    std::memcpy(to, from, head);
    const std::size_t end = bytes - (bytes - head) % line;
    for (std::size_t i = head; i < end; i += vector)
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
    to += end, from += end, bytes -= end;
  }
#endif
  std::memcpy(to, from, bytes);
}

}  // namespace tributary
