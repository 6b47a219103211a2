#pragma once
/// Legal texts with edits at random, for readers to read or to refuse.

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <random>
#include <string>
#include <vector>

namespace tributary {

/// How many texts of a form a test reads: a million where the sanitizers look.
constexpr int mutations(int elsewhere) {
#if defined(__SANITIZE_ADDRESS__)
  return elsewhere > 0 ? 1'000'000 : 0;
#else
  return elsewhere;
#endif
}

/// What edits take from: parts of other texts, words of the form, single marks (of none any byte).
struct Mutation {
  std::vector<std::string> others, words;
  std::string marks = {};

  /// One to four edits: a mark, a removal, a copy of a part, a number, a part of another text, a word, a bit, an end.
  std::string operator()(std::string text, std::mt19937_64& random) const;
};

/// Reads `count` texts made from those of `mutation.others`, which are legal themselves. `read(text)` takes a text or throws
/// a Refusal. Returns what is wrong with the first refusal that is no line of at most `longest` bytes which begins with
/// `begin`, or with the shares of texts that are taken (over 1/200, below 9/10), or the time that one takes (2 ms); empty:
/// nothing. Any other exception passes through.
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
