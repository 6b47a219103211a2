#include "testbench/test/harness/mutated_texts.h"

#include <algorithm>

namespace tributary {

std::string Mutation::operator()(std::string text, std::mt19937_64& random) const {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const auto mark = [&] { return marks.empty() ? static_cast<char>(below(256)) : marks[below(marks.size())]; };
  for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
    const std::size_t at = below(text.size() + 1), length = below(random() % 8 == 0 ? 400 : 12);
    switch (below(8)) {
      case 0:
        text.insert(at, below(20) == 0 ? 40 : 1, mark());
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(below(text.size() + 1), length));
        break;
      case 3:
        text.replace(at, std::min<std::size_t>(1, text.size() - at),
                     std::to_string(static_cast<std::int64_t>(random() >> below(64))));
        break;
      case 4: {
        const std::string& other = others[below(others.size())];
        text.insert(at, other.substr(below(other.size() + 1), length));
        break;
      }
      case 5:
        text.replace(at, std::min(length, text.size() - at), words[below(words.size())]);
        break;
      case 6:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      default:
        text.resize(at);
    }
  }
  return text;
}

}  // namespace tributary
