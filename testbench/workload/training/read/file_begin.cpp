#include "testbench/workload/training/read/file_begin.h"

#include <algorithm>

namespace tributary::training {

std::string begin_of(std::istream& file, std::size_t bytes) {
  std::string begin(bytes, '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(file.gcount()));
  file.clear();
  file.seekg(0);
  return begin;
}

bool is_binary(const std::string& begin) {
  const auto control = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\v';
  };
  return std::any_of(begin.begin(), begin.end(), control);
}

}  // namespace tributary::training
