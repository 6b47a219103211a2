#include "modules/base/probe.h"

namespace tributary {

bool glob_match(const std::string& pattern, const std::string& text) {
  // Compares the text after the last wildcard first: there most probes of a machine fail.
  std::size_t last = pattern.size();
  for (std::size_t end = text.size(); last > 0 && pattern[last - 1] != '*' && pattern[last - 1] != '?'; --last)
    if (end == 0 || pattern[last - 1] != text[--end]) return false;
  if (last == 1 && pattern[0] == '*') return true;
  std::size_t p = 0, t = 0;
  std::size_t star = std::string::npos, resume = 0;  // position of the last `*`, and end of the text that it matches
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
