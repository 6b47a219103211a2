#pragma once
/// StateWriter and StateReader: the state of a core as bytes, for protocol explorers that store states.

#include <cstdint>
#include <stdexcept>
#include <string>

namespace tributary {

/// Appends numbers to a string, 7 bits a byte, lowest first (LEB128).
class StateWriter {
 public:
  explicit StateWriter(std::string& out) : out_(out) {}
  template <class... T>
  void operator()(const T&... values) {
    (put(static_cast<std::uint64_t>(values)), ...);
  }

 private:
  void put(std::uint64_t n) {
    for (; n >= 0x80; n >>= 7) out_.push_back(static_cast<char>(n | 0x80));
    out_.push_back(static_cast<char>(n));
  }
  std::string& out_;
};

/// Reads numbers in the order in which they were written. Throws std::out_of_range past the end.
class StateReader {
 public:
  explicit StateReader(const std::string& in) : next_(in.data()), end_(in.data() + in.size()) {}
  template <class... T>
  void operator()(T&... values) {
    ((values = static_cast<T>(get())), ...);
  }
  bool empty() const { return next_ == end_; }

 private:
  std::uint64_t get() {
    std::uint64_t n = 0;
    for (unsigned shift = 0;; shift += 7) {
      if (next_ == end_) throw std::out_of_range("a saved state is truncated");
      const auto byte = static_cast<std::uint8_t>(*next_++);
      n |= std::uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return n;
    }
  }
  const char* next_;
  const char* end_;
};

}  // namespace tributary
