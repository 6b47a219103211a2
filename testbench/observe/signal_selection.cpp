#include "testbench/observe/signal_selection.h"

#include <algorithm>
#include <utility>

#include "testbench/observe/natural_order.h"
#include "testbench/observe/trace_error.h"

namespace tributary {
namespace {

constexpr std::size_t names_suggested = 3;

std::string nearest(const std::string& glob, const std::vector<TracedSignal>& all) {
  std::vector<std::pair<std::size_t, std::size_t>> by_distance;  // and index in the natural order
  for (std::size_t i = 0; i < all.size(); ++i) by_distance.emplace_back(glob_distance(glob, all[i].name), i);
  const std::size_t n = std::min(names_suggested, all.size());
  std::partial_sort(by_distance.begin(), by_distance.begin() + static_cast<std::ptrdiff_t>(n), by_distance.end());
  std::string text;
  for (std::size_t i = 0; i < n; ++i) text += (i ? ", " : "") + all[by_distance[i].second].name;
  return text;
}

void require_match(const std::string& glob, const std::vector<TracedSignal>& all) {
  if (std::any_of(all.begin(), all.end(), [&](auto& s) { return glob_match(glob, s.name); })) return;
  if (all.empty()) throw TraceError("no signal matches '" + glob + "': this platform has no signals to trace");
  throw TraceError("no signal matches '" + glob + "'; nearest: " + nearest(glob, all));
}

}  // namespace

std::vector<TracedSignal> select_signals(const ProbeDirectory& probes, const std::vector<std::string>& globs) {
  std::vector<TracedSignal> all = traceable_signals(probes);
  for (const std::string& glob : globs) require_match(glob, all);
  const auto unwanted = [&](const TracedSignal& s) {
    return std::none_of(globs.begin(), globs.end(), [&](auto& glob) { return glob_match(glob, s.name); });
  };
  const auto is_wide = [](const TracedSignal& s) { return s.field == SignalField::wide; };
  all.erase(
      globs.empty() ? std::remove_if(all.begin(), all.end(), is_wide) : std::remove_if(all.begin(), all.end(), unwanted),
      all.end());
  std::sort(all.begin(), all.end(), [](auto& a, auto& b) { return natural_less(a.name, b.name); });
  return all;
}

std::size_t glob_distance(const std::string& pattern, const std::string& text) {
  std::vector<std::size_t> row(text.size() + 1);  // row[j]: distance between the pattern so far and the first j characters
  for (std::size_t j = 0; j <= text.size(); ++j) row[j] = j;
  for (const char p : pattern) {
    std::size_t diagonal = row[0];
    row[0] += p == '*' ? 0 : 1;
    for (std::size_t j = 1; j <= text.size(); ++j) {
      const std::size_t above = row[j];
      if (p == '*')
        row[j] = std::min(above, row[j - 1]);
      else
        row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (p == '?' || p == text[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[text.size()];
}

}  // namespace tributary
