#include "testbench/workload/training/read/json_objects.h"

#include "testbench/workload/input_error.h"

namespace tributary::training {

void JsonObjects::fail(std::uint64_t at, const std::string& what) const {
  throw InputError(path_ + ": byte " + std::to_string(at) + ": " + what);
}

std::optional<std::string_view> JsonObjects::next() {
  text_.clear();
  std::streambuf& bytes = *file_.rdbuf();
  for (int c = bytes.sbumpc(); c != std::istream::traits_type::eof(); c = bytes.sbumpc()) {
    ++end_;
    if (take(static_cast<char>(c))) return std::string_view(text_);
  }
  if (open_ > 0) fail(end_, "the file ends within a JSON object");
  return std::nullopt;
}

/// Takes a character. Returns true if it is the end of an object.
bool JsonObjects::take(char c) {
  const bool quoted = in_string_;
  if (quoted) {
    in_string_ = escaped_ || c != '"';
    escaped_ = !escaped_ && c == '\\';
  } else if (c == '"') {
    in_string_ = true;
  } else if (c == '{') {
    if (++open_ == depth_) begin_ = end_ - 1;
  }
  if (open_ >= depth_) {
    if (text_.size() == longest_) fail("an object of more than " + std::to_string(longest_) + " bytes (legal: up to that)");
    text_ += c;
  } else if (open_ == 0 && c != '{' && c != '}' && std::string_view(" \t\r\n").find(c) == std::string_view::npos) {
    fail(end_ - 1, "not JSON (legal: objects in braces)");
  }
  if (quoted || c != '}') return false;
  if (open_ == 0) fail(end_ - 1, "not JSON (legal: a brace for each that was opened)");
  return open_-- == depth_;
}

}  // namespace tributary::training
