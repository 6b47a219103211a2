#include "testbench/observe/natural_order.h"

#include <algorithm>
#include <cstddef>

namespace tributary {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view take_digits(std::string_view& s) {
  std::size_t n = 0;
  while (n < s.size() && is_digit(s[n])) ++n;
  const std::string_view run = s.substr(0, n);
  s.remove_prefix(n);
  return run.substr(std::min(run.find_first_not_of('0'), run.size()));
}

// A dot ends a segment, so it sorts before all other characters.
int rank_of(char c) { return c == '.' ? -1 : static_cast<unsigned char>(c); }

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  const std::string_view whole_a = a, whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view x = take_digits(a), y = take_digits(b);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      continue;
    }
    if (a.front() != b.front()) return rank_of(a.front()) < rank_of(b.front());
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  if (a.empty() != b.empty()) return a.empty();
  return whole_a < whole_b;  // equal except for leading zeros
}

}  // namespace tributary
