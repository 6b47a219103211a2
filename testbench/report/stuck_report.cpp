#include "testbench/report/stuck_report.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>

#include "modules/base/text_format.h"
#include "modules/base/units.h"

namespace tributary {
namespace {

constexpr std::size_t shown_waiters = 10, shown_classes = 12, widest_line = 160;
constexpr char since_word[] = ", since ";

bool digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Replaces numbers and lists of numbers by `*`, except in the first word, the platform's name, which may contain
/// digits.
std::string class_of(const std::string& line) {
  const std::size_t since = line.rfind(since_word), start = std::min(line.find_first_of(".:"), line.size());
  std::string text = line.substr(0, start);
  for (std::size_t i = start; i < std::min(since, line.size()); ++i) {
    if (!digit(line[i])) {
      text += line[i];
      continue;
    }
    while (i + 1 < line.size() && digit(line[i + 1])) ++i;
    if (text.size() > 2 && text.compare(text.size() - 2, 2, "*,") == 0)
      text.pop_back();  // a list of numbers
    else
      text += "*";
  }
  return text;
}

/// A waiter that is alone in its class is listed by name: a unique waiter is often the cause.
std::vector<WaiterClass> classes_of(const std::vector<std::string>& waiters) {
  std::map<std::string, std::size_t> index;
  std::vector<WaiterClass> classes;
  for (const std::string& line : waiters) {
    const std::string text = class_of(line);
    const auto [found, first] = index.emplace(text, classes.size());
    if (first) classes.push_back({line.substr(0, line.rfind(since_word)), 0});
    WaiterClass& its = classes[found->second];
    if (++its.count == 2) its.text = text;
  }
  std::stable_sort(classes.begin(), classes.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
  return classes;
}

/// Returns the time since when a line's waiter waits, or ~0 if the line does not say.
Tick since(const std::string& line) {
  const std::size_t at = line.rfind(since_word);
  return at == std::string::npos ? never : parse_time(line.substr(at + sizeof since_word - 1)).value;
}

/// Returns the oldest waiters or, if no line has a time, the first of each class in turn.
std::vector<std::string> first_waiters(const StuckReport& report) {
  std::vector<std::string> dated, others, seen;
  for (const std::string& line : report.waiters) {
    if (since(line) != never) dated.push_back(line);
    const std::string text = class_of(line);
    if (std::find(seen.begin(), seen.end(), text) != seen.end()) continue;
    seen.push_back(text);
    others.push_back(line);
  }
  std::stable_sort(dated.begin(), dated.end(), [](const auto& a, const auto& b) { return since(a) < since(b); });
  std::vector<std::string> all = dated.empty() ? others : dated;
  if (all.size() > shown_waiters) all.resize(shown_waiters);
  return all;
}

std::string shortened(const std::string& line) {
  return line.size() <= widest_line ? line : line.substr(0, widest_line - 4) + " ...";
}

}  // namespace

StuckReport read_stuck_report(const std::string& report) {
  StuckReport read;
  std::istringstream lines(report);
  std::getline(lines, read.cause);
  const std::string introduction = "; these wait:";
  if (const std::size_t at = read.cause.rfind(introduction); at != std::string::npos) read.cause.erase(at);
  for (std::string line; std::getline(lines, line);) {
    line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
    if (line.empty()) continue;
    const bool dead = line.rfind("link ", 0) == 0 && line.find(" is dead since ") != std::string::npos;
    (dead ? read.dead_links : read.waiters).push_back(line);
  }
  read.classes = classes_of(read.waiters);
  return read;
}

std::string stuck_text(Status status, const std::string& report, const std::string& kept, const std::string& file) {
  const StuckReport stuck = read_stuck_report(report);
  if (status == Status::block_wrong || status == Status::too_long)
    return "tributary: " + std::string(info_of(status).headline) + ": " + stuck.cause + " (" + kept + ")\n";
  std::string text = "tributary: " + std::string(info_of(status).headline) + ": " + kept + "\n";
  for (const std::string& link : stuck.dead_links) text += link + "\n";
  if (!stuck.cause.empty()) text += stuck.cause + "\n";
  if (stuck.waiters.empty()) return text;
  text += "waiting, by class:\n";
  for (std::size_t i = 0; i < std::min(shown_classes, stuck.classes.size()); ++i)
    text += right(std::to_string(stuck.classes[i].count), 7) + " x " + shortened(stuck.classes[i].text) + "\n";
  if (stuck.classes.size() > shown_classes)
    text += "        " + std::to_string(stuck.classes.size() - shown_classes) + " more classes\n";
  const std::vector<std::string> first = first_waiters(stuck);
  const bool dated = since(first.front()) != never;
  text += dated ? "longest waiting (times from the start of the run):\n" : "first of each class:\n";
  for (const std::string& line : first) text += "  " + shortened(line) + "\n";
  const std::string all = std::to_string(stuck.waiters.size()) + " in total";
  return text + all + (file.empty() ? "; use --report FILE for the full list\n" : "; full list in " + file + "\n");
}

}  // namespace tributary
