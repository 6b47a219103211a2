#include "platforms/topology/files/topology_text.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "modules/base/input_file.h"

namespace tributary::topology {

TopologyText::TopologyText(std::string text, std::string path, bool escapes)
    : text_(std::move(text)), path_(std::move(path)) {
  for (std::size_t i = 0; i < text_.size(); ++i) {
    const auto c = static_cast<unsigned char>(text_[i]);
    if (c == '\n') ends_.push_back(i);
    if ((c < ' ' && c != '\t' && c != '\n' && c != '\r' && !(escapes && c == 0x1b)) || c == 0x7f)
      fail(line_at(i), "a control character, number " + std::to_string(c) + " (legal: text)");
  }
}

std::size_t TopologyText::line_at(std::size_t place) const {
  return static_cast<std::size_t>(std::lower_bound(ends_.begin(), ends_.end(), place) - ends_.begin()) + 1;
}

void TopologyText::fail(std::size_t line, const std::string& what) const {
  throw std::invalid_argument(path_ + ":" + std::to_string(line) + ": " + what);
}

std::string read_topology_file(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_fifo(status))
    throw std::invalid_argument(path + ": not a regular file or a pipe");
  std::ifstream file(path, std::ios::binary);
  if (const std::string why = refusal_of_file(file, path); !why.empty()) throw std::invalid_argument(path + ": " + why);
  constexpr std::size_t block = std::size_t{1} << 16;
  std::string text;
  for (std::size_t got = block; got == block && text.size() <= TopologyFileLimits::bytes;) {
    const std::size_t before = text.size();
    text.resize(before + block);
    file.read(text.data() + before, block);
    got = static_cast<std::size_t>(file.gcount());
    text.resize(before + got);
  }
  if (file.bad()) throw std::invalid_argument(path + ": cannot be read");
  if (text.size() > TopologyFileLimits::bytes)
    throw std::invalid_argument(path + ": too large for a topology (legal: up to " +
                                std::to_string(TopologyFileLimits::bytes) + " bytes)");
  return text;
}

std::string quoted(const std::string& text) {
  constexpr std::size_t most = 40;
  std::string shown = text.substr(0, most);
  for (char& c : shown)
    if (c < ' ' || c > '~') c = '?';
  return "'" + shown + (text.size() > most ? "...'" : "'");
}

int decimal(const std::string& text, int least, int most) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && value >= least && value <= most ? value : -1;
}

}  // namespace tributary::topology
