#pragma once
/// Legal texts with random edits, which readers must accept or refuse.

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <random>
#include <string>
#include <vector>

namespace tributary {

/// The number of texts per format that a test reads: a million with the address sanitizer.
constexpr int mutations(int elsewhere) {
#if defined(__SANITIZE_ADDRESS__)
  return elsewhere > 0 ? 1'000'000 : 0;
#else
  return elsewhere;
#endif
}

/// Material of the edits: parts of other texts, words of the format, single characters (any byte if `marks` is empty).
struct Mutation {
  std::vector<std::string> others, words;
  std::string marks = {};

  /// Makes one to four edits: a character, a removal, a copy of a part, a number, a part of another text, a word, a
  /// bit, or a truncation.
  std::string operator()(std::string text, std::mt19937_64& random) const;
};

/// Reads `count` texts made from the texts of `mutation.others`, which are legal themselves. `read(text)` accepts a
/// text or throws a Refusal. Returns a description of the first fault, or an empty string. Faults: a refusal that is
/// not one line of at most `longest` bytes that begins with `begin`; a fraction of accepted texts outside of 1/200 to
/// 9/10; a mean time of 2 ms or more per text. Any other exception passes through.
template <class Refusal, class Read>
std::string fuzzed(const Mutation& mutation, std::uint64_t seed, int count, const std::string& begin, Read read,
                   std::size_t longest = 400) {
  for (const std::string& text : mutation.others) read(text);
  std::mt19937_64 random(seed);
  int taken = 0;
  const std::clock_t started = std::clock();
  for (int i = 0; i < count; ++i) {
    const std::string text = mutation(mutation.others[random() % mutation.others.size()], random);
    try {
      read(text);
      ++taken;
    } catch (const Refusal& refusal) {
      const std::string line = refusal.what();
      if (line.rfind(begin, 0) != 0 || line.find('\n') != std::string::npos || line.size() > longest)
        return "text " + std::to_string(i) + ": " + line + "\n" + text;
    }
  }
  if (taken <= count / 200 || taken >= count / 10 * 9)
    return std::to_string(taken) + " of " + std::to_string(count) + " taken";
  if ((std::clock() - started) / count >= CLOCKS_PER_SEC / 500) return "over 2 ms a text";
  return {};
}

}  // namespace tributary
