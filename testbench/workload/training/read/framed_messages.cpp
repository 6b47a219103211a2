#include "testbench/workload/training/read/framed_messages.h"

#include <algorithm>

#include "testbench/workload/input_error.h"

namespace tributary::training {

void FramedMessages::fail(const std::string& what) const {
  throw InputError(path_ + ": byte " + std::to_string(begin_) + ": " + what);
}

std::optional<std::string_view> FramedMessages::next() {
  begin_ = end_;
  const std::optional<std::uint64_t> length = read_length();
  if (!length) return std::nullopt;
  if (*length > longest_)
    fail("a message of " + std::to_string(*length) + " bytes (legal: up to " + std::to_string(longest_) + ")");
  const auto wanted = static_cast<std::size_t>(*length);
  for (std::size_t got = 0;
       got < wanted;) {  // reads in steps, so that a length beyond the end of the file allocates no memory
    const std::size_t part = std::min<std::size_t>(wanted - got, 1 << 16);
    if (buffer_.size() < got + part) buffer_.resize(got + part);
    file_.read(buffer_.data() + got, static_cast<std::streamsize>(part));
    const auto came = static_cast<std::size_t>(file_.gcount());
    got += came;
    end_ += came;
    if (came < part) fail("a message of " + std::to_string(wanted) + " bytes, but the file has only " + std::to_string(got));
  }
  return std::string_view(buffer_.data(), wanted);
}

std::optional<std::uint64_t> FramedMessages::read_length() {
  std::uint64_t length = 0;
  for (unsigned shift = 0;; shift += 7) {
    const int c = file_.get();
    if (c == std::istream::traits_type::eof()) {
      if (shift == 0) return std::nullopt;
      fail("the file ends within the length of a message");
    }
    ++end_;
    length |= (static_cast<std::uint64_t>(c) & 0x7F) << shift;
    if ((c & 0x80) == 0) return length;
    if (shift == 28) fail("a length of more than five bytes (legal: a Chakra trace)");
  }
}

}  // namespace tributary::training
