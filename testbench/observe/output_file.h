#pragma once
/// OutputFile: a buffered output file whose failures are exceptions.

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tributary {

/// Thrown if a file cannot be written (missing folder, full disk); one line with the file and the reason.
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A file with one large buffer. Every failure is an OutputError.
class OutputFile {
 public:
  /// Creates or truncates the file.
  explicit OutputFile(std::string path);

  void append(std::string_view text) {
    buffer_.append(text);
    if (buffer_.size() >= limit) flush();
  }
  void append(char c) { buffer_.push_back(c); }
  void flush();
  /// Flushes and closes; later calls have no effect. Without close() the contents of the buffer are lost.
  void close();
  const std::string& path() const { return path_; }

 private:
  static constexpr std::size_t limit = std::size_t{1} << 20;

  struct Close {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };

  [[noreturn]] void fail() const;

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::string buffer_;
};

}  // namespace tributary
