#include "testbench/cli/escaped_output.h"

#include <algorithm>
#include <iostream>

#include "modules/base/text_format.h"
#include "modules/base/utf8.h"

namespace tributary {
namespace {

bool is_kept(char c) { return c == '\n' || c == '\t'; }
bool is_plain(char c) { return is_kept(c) || (c >= ' ' && c <= '~'); }

/// Returns the text without the first bytes of a character at its end that later bytes may complete.
std::string_view complete_part(std::string_view text) {
  constexpr std::size_t longest = 4;
  for (std::size_t size = 1; size < longest && size <= text.size(); ++size) {
    const std::size_t at = text.size() - size;
    const auto first = static_cast<unsigned char>(text[at]);
    if (first < 0x80) break;
    if (first < 0xC0) continue;
    const std::size_t whole = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    return whole > size ? text.substr(0, at) : text;
  }
  return text;
}

std::string escaped(std::string_view text) {
  std::string all;
  for (std::size_t at = 0; at < text.size();) {
    const auto* const end = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), is_kept);
    const auto next = static_cast<std::size_t>(end - text.begin());
    all += one_line(std::string(text.substr(at, next - at)));
    if (next < text.size()) all += text[next];
    at = next + 1;
  }
  return all;
}

}  // namespace

EscapingBuffer::~EscapingBuffer() { put(escaped(begun_)); }

bool EscapingBuffer::put(std::string_view text) {
  const auto size = static_cast<std::streamsize>(text.size());
  return to_.sputn(text.data(), size) == size;
}

EscapingBuffer::int_type EscapingBuffer::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char one = traits_type::to_char_type(c);
  return xsputn(&one, 1) == 1 ? c : traits_type::eof();
}

std::streamsize EscapingBuffer::xsputn(const char* text, std::streamsize size) {
  const std::string_view given(text, static_cast<std::size_t>(size));
  if (begun_.empty() && std::all_of(given.begin(), given.end(), is_plain)) return to_.sputn(text, size);
  const std::string all = begun_ + std::string(given);
  const std::string_view complete = complete_part(all);
  begun_ = all.substr(complete.size());
  return put(escaped(complete)) ? size : 0;
}

EscapedOutput::EscapedOutput()
    : out_(std::cout.rdbuf()), error_(std::cerr.rdbuf()), escaped_out_(*out_), escaped_error_(*error_) {
  std::cout.rdbuf(&escaped_out_);
  std::cerr.rdbuf(&escaped_error_);
}

EscapedOutput::~EscapedOutput() {
  std::cout.rdbuf(out_);
  std::cerr.rdbuf(error_);
}

}  // namespace tributary
