#pragma once
/// Keeps names of files, layers and modules from controlling the terminal.

#include <streambuf>
#include <string>
#include <string_view>

namespace tributary {

/// Forwards text to another buffer and escapes it as one_line() does, except line breaks and tabs.
class EscapingBuffer : public std::streambuf {
 public:
  explicit EscapingBuffer(std::streambuf& to) : to_(to) {}
  EscapingBuffer(const EscapingBuffer&) = delete;
  EscapingBuffer& operator=(const EscapingBuffer&) = delete;
  ~EscapingBuffer() override;

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override { return to_.pubsync(); }

 private:
  bool put(std::string_view text);

  std::streambuf& to_;
  std::string begun_;  ///< first bytes of a character that is not complete
};

/// Escapes standard output and standard error while it exists. The progress line writes to the terminal directly.
class EscapedOutput {
 public:
  EscapedOutput();
  EscapedOutput(const EscapedOutput&) = delete;
  EscapedOutput& operator=(const EscapedOutput&) = delete;
  ~EscapedOutput();

 private:
  std::streambuf *out_, *error_;
  EscapingBuffer escaped_out_, escaped_error_;
};

}  // namespace tributary
