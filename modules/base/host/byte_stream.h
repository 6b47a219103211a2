#pragma once
/// ByteWriter and ByteReader: values in a row of bytes, for processes of one build on machines of one kind.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace tributary {

using ByteRow = std::vector<std::byte>;

/// Appends to a row, which must outlive it.
class ByteWriter {
 public:
  explicit ByteWriter(ByteRow& row) : row_(row) {}
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
    bytes(&value, sizeof value);
  }
  void put(const std::string& text) {
    put(static_cast<std::uint64_t>(text.size()));
    bytes(text.data(), text.size());
  }
  void bytes(const void* data, std::size_t count) {
    const auto* first = static_cast<const std::byte*>(data);
    row_.insert(row_.end(), first, first + count);
  }

 private:
  ByteRow& row_;
};

/// Reads what a ByteWriter has written, in the same order. Throws std::out_of_range beyond the end of the row, which must
/// outlive it.
class ByteReader {
 public:
  explicit ByteReader(const ByteRow& row) : next_(row.data()), left_(row.size()) {}
  template <class T>
  T get() {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
    T value;
    std::memcpy(&value, bytes(sizeof value), sizeof value);
    return value;
  }
  std::string text() {
    const auto size = get<std::uint64_t>();
    const std::byte* first = bytes(size);
    return {reinterpret_cast<const char*>(first), size};
  }
  const std::byte* bytes(std::size_t count) {
    if (count > left_) throw std::out_of_range("a message of another process ends early");
    const std::byte* first = next_;
    next_ += count, left_ -= count;
    return first;
  }
  bool at_end() const { return left_ == 0; }

 private:
  const std::byte* next_;
  std::size_t left_;
};

}  // namespace tributary
