#pragma once
/// Messages of a file, each preceded by its length as a varint.

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <string_view>

namespace tributary::training {

class FramedMessages {
 public:
  /// `longest`: largest legal message in bytes.
  FramedMessages(std::istream& file, const std::string& path, std::size_t longest)
      : file_(file), path_(path), longest_(longest) {}

  /// Returns the next message, valid until the next call, or none at the end of the file. Throws InputError.
  std::optional<std::string_view> next();

  /// Returns the offset in the file of the current message, including its length, in bytes.
  std::uint64_t offset() const { return begin_; }

  /// Throws InputError: `path: byte N: what`.
  [[noreturn]] void fail(const std::string& what) const;

 private:
  std::optional<std::uint64_t> read_length();

  std::istream& file_;
  const std::string& path_;
  std::size_t longest_;
  std::uint64_t begin_ = 0, end_ = 0;  ///< bounds of the current message
  std::string buffer_;
};

}  // namespace tributary::training
