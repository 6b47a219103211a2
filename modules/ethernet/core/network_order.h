#pragma once
/// Numbers in network byte order: highest byte first.

#include <cstdint>

namespace tributary {

/// Reads a number of `bytes` bytes, 1 to 8.
template <unsigned bytes>
constexpr std::uint64_t load(const std::uint8_t* at) {
  static_assert(bytes >= 1 && bytes <= 8);
  std::uint64_t value = 0;
  for (unsigned i = 0; i < bytes; ++i) value = value << 8 | at[i];
  return value;
}

/// Writes the lowest `bytes` bytes of numbers, one number after another.
class NetworkOrderWriter {
 public:
  explicit NetworkOrderWriter(std::uint8_t* at) : at_(at) {}
  template <unsigned bytes>
  NetworkOrderWriter& put(std::uint64_t value) {
    static_assert(bytes >= 1 && bytes <= 8);
    for (unsigned i = 0; i < bytes; ++i) *at_++ = static_cast<std::uint8_t>(value >> 8 * (bytes - 1 - i));
    return *this;
  }
  std::uint8_t* at() const { return at_; }
  void skip(unsigned bytes) { at_ += bytes; }

 private:
  std::uint8_t* at_;
};

/// Reads numbers that NetworkOrderWriter::put has written.
class NetworkOrderReader {
 public:
  explicit NetworkOrderReader(const std::uint8_t* at) : at_(at) {}
  template <unsigned bytes>
  std::uint64_t take() {
    const std::uint64_t value = load<bytes>(at_);
    at_ += bytes;
    return value;
  }
  std::uint8_t take8() { return static_cast<std::uint8_t>(take<1>()); }
  std::uint16_t take16() { return static_cast<std::uint16_t>(take<2>()); }
  std::uint32_t take24() { return static_cast<std::uint32_t>(take<3>()); }
  std::uint32_t take32() { return static_cast<std::uint32_t>(take<4>()); }
  const std::uint8_t* at() const { return at_; }
  void skip(unsigned bytes) { at_ += bytes; }

 private:
  const std::uint8_t* at_;
};

}  // namespace tributary
