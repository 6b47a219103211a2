#include "modules/base/nearest.h"

#include <algorithm>
#include <limits>

namespace tributary {
namespace {

constexpr std::size_t longest_name = 200;

/// Returns the names with the longest prefix in common with `text`, of three letters or more: `algs`, `algorithms`.
std::vector<std::string> abbreviated(const std::string& text, const std::vector<std::string>& names) {
  std::size_t most = 3;
  std::vector<std::string> found;
  for (const std::string& name : names) {
    const auto [end, other] = std::mismatch(text.begin(), text.end(), name.begin(), name.end());
    const auto same = static_cast<std::size_t>(end - text.begin());
    if (same < most) continue;
    if (same > most) found.clear();
    most = same;
    found.push_back(name);
  }
  return found;
}

}  // namespace

std::size_t edit_distance(const std::string& a, const std::string& b) {
  // Keeps three rows of the table of prefix distances: a swap reads two rows back.
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      now[j] = std::min({replace, last[j] + 1, now[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(now);
  }
  return last[b.size()];
}

std::vector<std::string> nearest_names(const std::string& text, const std::vector<std::string>& names) {
  if (text.size() > longest_name) return {};  // not a misspelling, and the time grows with the length
  std::size_t best = std::numeric_limits<std::size_t>::max();
  std::vector<std::string> nearest;
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(text, name);
    if (distance < best) nearest.clear();
    best = std::min(best, distance);
    if (distance == best) nearest.push_back(name);
  }
  constexpr std::size_t misspelt = 2;
  if (best <= misspelt) return nearest;
  const std::vector<std::string> short_for = abbreviated(text, names);
  return short_for.empty() ? nearest : short_for;
}

std::string join_names(const std::vector<std::string>& names, const std::string& last) {
  std::string all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) all += i + 1 == names.size() ? " " + last + " " : ", ";
    all += names[i];
  }
  return all;
}

std::string unknown_name(const std::string& kind, const std::string& text, const std::vector<std::string>& names,
                         bool list_all) {
  auto nearest = nearest_names(text, names);
  if (nearest.size() > 3) nearest.resize(3);
  std::string line = "unknown " + kind + " '" + text + "'";
  if (!nearest.empty()) line += "; did you mean " + join_names(nearest) + "?";
  if (list_all && names.size() > 1) line += " (legal: " + join_names(names) + ")";
  return line;
}

}  // namespace tributary
