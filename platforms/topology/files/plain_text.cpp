#include "platforms/topology/files/plain_text.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string_view>
#include <utility>

#include "platforms/topology/files/topology_text.h"

namespace tributary::topology {
namespace {

using Lines = std::vector<std::string>;

constexpr const char* blanks = " \t\r";
constexpr std::string_view keywords[] = {"router", "node"};  // first words of the lines of an anynet file
constexpr std::string_view label = "GPU";                    // of rows and columns of a matrix

bool digit(char c) { return c >= '0' && c <= '9'; }

std::size_t first_of(const std::string& line) { return std::min(line.find_first_not_of(blanks), line.size()); }
bool blank(const std::string& line) { return first_of(line) == line.size(); }

/// Appends a character in UTF-8.
void append(std::string& text, std::uint32_t character) {
  const auto rest = [&](int shift) { text += static_cast<char>(0x80 | ((character >> shift) & 0x3F)); };
  if (character < 0x80) {
    text += static_cast<char>(character);
  } else if (character < 0x800) {
    text += static_cast<char>(0xC0 | (character >> 6)), rest(0);
  } else if (character < 0x10000) {
    text += static_cast<char>(0xE0 | (character >> 12)), rest(6), rest(0);
  } else {
    text += static_cast<char>(0xF0 | (character >> 18)), rest(12), rest(6), rest(0);
  }
}

std::string from_utf16(const std::string& bytes, std::size_t begin, bool big_endian) {
  constexpr std::uint32_t replacement = 0xFFFD;
  const auto unit = [&](std::size_t at) {
    const auto low = static_cast<unsigned char>(bytes[at + (big_endian ? 1 : 0)]);
    const auto high = static_cast<unsigned char>(bytes[at + (big_endian ? 0 : 1)]);
    return static_cast<std::uint32_t>(high << 8 | low);
  };
  std::string text;
  text.reserve(bytes.size() / 2);
  std::size_t at = begin;
  for (; at + 1 < bytes.size(); at += 2) {
    const std::uint32_t first = unit(at);
    if (first < 0xD800 || first > 0xDFFF) {
      append(text, first);
      continue;
    }
    const std::uint32_t second = first < 0xDC00 && at + 3 < bytes.size() ? unit(at + 2) : 0;
    if (second < 0xDC00 || second > 0xDFFF) {
      append(text, replacement);
      continue;
    }
    append(text, 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00));
    at += 2;
  }
  if (at < bytes.size()) append(text, replacement);
  return text;
}

bool begins(const std::string& text, const char* with) { return text.rfind(with, 0) == 0; }

/// Without a mark, UTF-16 of the languages of these files has a zero in one of its first two bytes.
std::string decoded(const std::string& bytes) {
  if (begins(bytes, "\xEF\xBB\xBF")) return bytes.substr(3);
  if (begins(bytes, "\xFF\xFE")) return from_utf16(bytes, 2, false);
  if (begins(bytes, "\xFE\xFF")) return from_utf16(bytes, 2, true);
  if (bytes.size() >= 2 && (bytes[0] == 0) != (bytes[1] == 0)) return from_utf16(bytes, 0, bytes[0] == 0);
  return bytes;
}

Lines lines_of(const std::string& text) {
  Lines lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// True if XML or anynet begins at a place of the line. `<stdout>` and `<stderr>` are of mpirun.
bool opens_file(const std::string& line, std::size_t at) {
  if (at >= line.size()) return false;
  if (line[at] == '<') return line.compare(at, 4, "<std") != 0;
  std::string word;
  for (; at < line.size() && std::isalpha(static_cast<unsigned char>(line[at])) != 0; ++at)
    word += static_cast<char>(std::tolower(static_cast<unsigned char>(line[at])));
  return (word == keywords[0] || word == keywords[1]) && at < line.size() && (line[at] == ' ' || line[at] == '\t');
}

bool gpu_at(const std::string& line, std::size_t at) {
  return line.compare(at, label.size(), label) == 0 && at + 3 < line.size() && digit(line[at + 3]);
}

/// True if lines have a known form: the first opens a file of XML or anynet, or one begins with a GPU.
bool has_form(Lines::const_iterator begin, Lines::const_iterator end) {
  const auto first = std::find_if(begin, end, [](const std::string& line) { return !blank(line); });
  return first != end && (opens_file(*first, first_of(*first)) || std::any_of(begin, end, begins_with_gpu));
}

bool is_fence(const std::string& line) {
  const std::size_t at = first_of(line);
  return line.compare(at, 3, "```") == 0 || line.compare(at, 3, "~~~") == 0;
}

/// Clears all lines but the first ones with a known form that fences, or the ends of the text, enclose. Returns false if
/// there is no fence.
bool open_fence(Lines& lines) {
  auto begin = lines.begin();
  auto fence = std::find_if(begin, lines.end(), is_fence);
  if (fence == lines.end()) return false;
  while (fence != lines.end() && !has_form(begin, fence)) {
    begin = fence + 1;
    fence = std::find_if(begin, lines.end(), is_fence);
  }
  std::for_each(lines.begin(), begin, [](std::string& line) { line.clear(); });
  std::for_each(fence, lines.end(), [](std::string& line) { line.clear(); });
  return true;
}

/// Returns the length of the prefix that all lines with text share apart from its digits.
std::size_t shared_length(const Lines& lines) {
  const std::string* first = nullptr;
  std::size_t length = 0;
  for (const std::string& line : lines) {
    if (blank(line)) continue;
    if (first == nullptr) first = &line, length = line.size();
    length = std::min(length, line.size());
    for (std::size_t i = 0; i < length; ++i)
      if (line[i] != (*first)[i] && !(digit(line[i]) && digit((*first)[i]))) length = i;
  }
  return length;
}

/// Returns false if there is no prefix to leave out.
bool drop_prefix(Lines& lines, std::vector<std::string>& notes) {
  if (has_form(lines.begin(), lines.end())) return false;
  const auto first = std::find_if(lines.begin(), lines.end(), [](const std::string& line) { return !blank(line); });
  if (first == lines.end()) return false;
  std::size_t length = shared_length(lines);
  for (std::size_t at = 0; at < length; ++at)
    if (opens_file(*first, at) || gpu_at(*first, at)) length = at;
  const std::string prefix = first->substr(0, length);
  if (blank(prefix)) return false;
  Lines rest;
  for (const std::string& line : lines) rest.push_back(line.substr(std::min(length, line.size())));
  if (!has_form(rest.begin(), rest.end())) return false;
  lines = std::move(rest);
  notes.push_back("every line begins like " + quoted(prefix) + ": this prefix is left out");
  return true;
}

}  // namespace

bool begins_with_gpu(const std::string& line) {
  const std::size_t at = std::min(line.find_first_not_of(" \t|"), line.size());
  return gpu_at(line, at);
}

PlainText plain_text(const std::string& bytes) {
  PlainText plain;
  plain.text = decoded(bytes);
  Lines lines = lines_of(plain.text);
  const bool fenced = open_fence(lines), prefixed = drop_prefix(lines, plain.notes);
  if (!fenced && !prefixed) return plain;
  plain.text.clear();
  for (const std::string& line : lines) plain.text += line + '\n';
  return plain;
}

}  // namespace tributary::topology
