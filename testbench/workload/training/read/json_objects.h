#pragma once
/// Objects of a JSON text, one at a time: a sequence of objects, or the elements of the arrays in one object.

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <string_view>

namespace tributary::training {

class JsonObjects {
 public:
  /// `depth`: 1 for a sequence of objects, 2 for the objects within one object. `longest`: largest legal object in bytes.
  JsonObjects(std::istream& file, const std::string& path, unsigned depth, std::size_t longest)
      : file_(file), path_(path), depth_(depth), longest_(longest) {}

  /// Returns the text of the next object, valid until the next call, or none at the end of the file. Throws InputError.
  std::optional<std::string_view> next();

  /// Returns the offset of the current object in the file, bytes.
  std::uint64_t offset() const { return begin_; }

  /// Throws InputError: `path: byte N: what`.
  [[noreturn]] void fail(const std::string& what) const { fail(begin_, what); }

 private:
  [[noreturn]] void fail(std::uint64_t at, const std::string& what) const;
  bool take(char c);

  std::istream& file_;
  const std::string& path_;
  unsigned depth_, open_ = 0;  ///< open_: braces
  std::size_t longest_;
  std::uint64_t begin_ = 0, end_ = 0;
  bool in_string_ = false, escaped_ = false;
  std::string text_;
};

}  // namespace tributary::training
