#include "modules/base/probe.h"

namespace tributary {

namespace {

/// `*` and then a plain text: the observers' globs over all probes of a machine.
bool is_suffix(const std::string& pattern) {
  return !pattern.empty() && pattern[0] == '*' && pattern.find_first_of("*?", 1) == std::string::npos;
}

bool ends_with(const std::string& text, const std::string& pattern) {
  const std::size_t length = pattern.size() - 1;
  return text.size() >= length && text.compare(text.size() - length, length, pattern, 1, length) == 0;
}

}  // namespace

bool glob_match(const std::string& pattern, const std::string& text) {
  const char last = pattern.empty() ? '*' : pattern.back();
  if (last != '*' && last != '?' && (text.empty() || text.back() != last)) return false;  // most, of all probes of a machine
  if (is_suffix(pattern)) return ends_with(text, pattern);
  std::size_t p = 0, t = 0;
  std::size_t star = std::string::npos, resume = 0;  // the last `*`, and how much of the text it has taken
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace tributary
