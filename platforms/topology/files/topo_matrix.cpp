#include "platforms/topology/files/topo_matrix.h"

#include <algorithm>
#include <set>
#include <utility>

#include "platforms/topology/files/plain_text.h"

namespace tributary::topology {
namespace {

const std::string blanks = " \t";

struct Line {
  std::string text;
  std::size_t number = 0;
};

/// Removes terminal escape sequences (ESC [ ... letter).
std::string without_escapes(const TopologyText& text, const std::string& line, std::size_t number) {
  std::string plain;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\x1b') {
      plain += line[i];
      continue;
    }
    std::size_t end = i + 1;
    if (end < line.size() && line[end] == '[') ++end;
    while (end < line.size() && (line[end] < '@' || line[end] > '~')) ++end;
    if (end >= line.size()) text.fail(number, "an escape sequence without end");
    i = end;
  }
  return plain;
}

/// Removes the prefix that mpirun adds: `[1,0]<stdout>:`.
std::string without_prefix(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(blanks), end = line.find("]<std");
  if (begin == std::string::npos || line[begin] != '[' || end == std::string::npos) return line;
  const std::size_t colon = line.find(':', end);
  return colon == std::string::npos ? line : line.substr(colon + 1);
}

/// Makes the bars of a table in Markdown tabs. The line between its header and its rows, without a letter or digit, is empty
/// after that.
std::string without_bars(std::string line) {
  const std::size_t begin = line.find_first_not_of(blanks);
  if (begin == std::string::npos || line[begin] != '|') return line;
  if (line.find_first_not_of("|-: \t") == std::string::npos) return "";
  std::replace(line.begin(), line.end(), '|', '\t');
  return line;
}

std::vector<Line> lines_of(const TopologyText& text) {
  std::vector<Line> lines;
  const std::string& all = text.text();
  for (std::size_t at = 0, number = 1; at < all.size(); ++number) {
    const std::size_t end = std::min(all.find('\n', at), all.size());
    std::string line = all.substr(at, end - at);
    line.erase(std::remove(line.begin(), line.end(), '\r'), line.end());
    const std::string plain = without_prefix(without_escapes(text, line, number));
    std::string cells = without_bars(plain);
    if (!cells.empty() || plain.empty()) lines.push_back({std::move(cells), number});
    at = end + 1;
  }
  return lines;
}

bool blank(const std::string& text) { return text.find_first_not_of(blanks) == std::string::npos; }
std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(blanks);
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// Returns the next word and advances `at` past it; empty if there is none.
std::string next_word(const std::string& line, std::size_t& at) {
  const std::size_t begin = std::min(line.find_first_not_of(blanks, at), line.size());
  at = std::min(line.find_first_of(blanks, begin), line.size());
  return line.substr(begin, at - begin);
}

bool begins(const std::string& text, const char* with) { return text.rfind(with, 0) == 0; }

/// Returns the number of a GPU, or -1 for another device.
int gpu_number(const std::string& name) { return begins(name, "GPU") ? decimal(name.substr(3), 0, 65'535) : -1; }

bool is_name(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '-' || c == '.' ||
           c == ':';
  });
}

struct Symbol {
  const char* text;
  Route route;
};
constexpr Symbol symbols[] = {{"X", Route::self},     {"PIX", Route::bridge}, {"PXB", Route::bridges},
                              {"PHB", Route::host},   {"NODE", Route::node},  {"SYS", Route::system},
                              {"SOC", Route::system}, {"N/A", Route::unknown}};

bool is_cell(const std::string& word) {
  return std::any_of(std::begin(symbols), std::end(symbols), [&](const Symbol& s) { return word == s.text; }) ||
         (begins(word, "NV") && decimal(word.substr(2), 1, most_nvlinks) > 0);
}

constexpr const char* legal_forms =
    " (legal: text of nvidia-smi topo -m; files of NCCL begin with <, anynet with router or node)";

/// Cells of `nvidia-smi topo -p2p`.
bool is_peer_cell(const std::string& word) {
  constexpr const char* words[] = {"OK", "CNS", "GNS", "TNS", "NS", "DR", "U"};
  return std::any_of(std::begin(words), std::end(words), [&](const char* w) { return word == w; });
}

class MatrixReader {
 public:
  explicit MatrixReader(const TopologyText& text) : text_(text), lines_(lines_of(text)) {
    refuse_rocm();
    const std::size_t header = find_header();
    std::size_t end = header + 1;
    while (end < lines_.size() && !blank(lines_[end].text) && !begins(trimmed(lines_[end].text), "Legend")) ++end;
    if (end == header + 1) text_.fail(lines_[header].number, "no rows below the header (legal: one for each column)");
    if (end - header - 1 > most)
      text_.fail(lines_[header].number, "too many rows (legal: up to " + std::to_string(most) + ")");
    for (std::size_t i = header + 1; i < end; ++i) name_row(lines_[i]);
    check_header(lines_[header]);
    for (std::size_t i = 0; i < devices_.size(); ++i) read_row(i, lines_[header + 1 + i]);
    check_symmetry();
    check_legend(end);
  }
  TopoMatrix result() { return {std::move(devices_), std::move(notes_)}; }

 private:
  static constexpr std::size_t most = TopologyFileLimits::gpus + TopologyFileLimits::nics;

  /// rocm-smi --showtopo prints several tables of GPUs under such titles.
  void refuse_rocm() const {
    for (const Line& line : lines_)
      for (const char* title : {"Weight between two GPUs", "Hops between two GPUs", "Link Type between two GPUs"})
        if (line.text.find(title) != std::string::npos)
          text_.fail(line.number, std::string("text of rocm-smi --showtopo, which has no numbers of links") + legal_forms);
  }

  /// The row of GPU0 follows the header; a list of GPUs (`GPU 0: name`, `GPU0: name`) has no such row.
  std::size_t find_header() const {
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (begins_with_gpu(lines_[i].text) && !is_list_row(lines_[i].text)) return i;
    text_.fail(std::max<std::size_t>(lines_.empty() ? 1 : lines_.back().number, 1),
               std::string("no header, a line that begins with GPU0") + legal_forms);
  }
  static bool is_list_row(const std::string& line) {
    std::size_t at = 0;
    return next_word(line, at).back() == ':';
  }

  void name_row(const Line& line) {
    std::size_t at = 0;
    MatrixDevice device;
    device.name = next_word(line.text, at), device.line = line.number;
    const int number = gpu_number(device.name);
    device.gpu = number >= 0;
    if (is_cell(device.name))
      text_.fail(line.number, "a line that begins with the cell " + quoted(device.name) +
                                  ": lines are wrapped (legal: each row on one line, as a file or a pipe gets it)");
    if (!is_name(device.name)) text_.fail(line.number, "a row of " + quoted(device.name) + " (legal: names of devices)");
    if (!names_.insert(device.name).second)
      text_.fail(line.number, "a second row of " + quoted(device.name) + " (legal: one)");
    if (device.gpu && number <= last_gpu_)
      text_.fail(line.number, device.name + " below GPU" + std::to_string(last_gpu_) + " (legal: ascending numbers)");
    if (device.gpu) last_gpu_ = number, ++gpus_;
    if (gpus_ > TopologyFileLimits::gpus)
      text_.fail(line.number, "too many GPUs (legal: up to " + std::to_string(TopologyFileLimits::gpus) + ")");
    devices_.push_back(std::move(device));
  }

  /// Checks the header: columns are named as the rows, and blanks between them may be missing. The processor columns
  /// follow.
  void check_header(const Line& line) {
    std::string header;
    for (const char c : line.text)
      if (blanks.find(c) == std::string::npos) header += c;
    std::size_t at = 0;
    const auto takes = [&](const std::string& column) {
      if (header.compare(at, column.size(), column) != 0) return false;
      at += column.size();
      return true;
    };
    for (const MatrixDevice& d : devices_)
      if (!takes(d.name))
        text_.fail(line.number, "the header has no column " + quoted(d.name) +
                                    " at the position of its row (legal: columns in the order of rows)");
    processors_ = takes("CPUAffinity");
    numa_ = takes("NUMAAffinity") || takes("NUMA");
    takes("GPUNUMAID");
    if (at != header.size())
      text_.fail(line.number, "the header continues with " + quoted(header.substr(at)) +
                                  " (legal: a column for each row, CPU Affinity, NUMA Affinity, GPU NUMA ID)");
  }

  void read_row(std::size_t row, const Line& line) {
    MatrixDevice& device = devices_[row];
    std::size_t at = 0;
    next_word(line.text, at);
    for (const MatrixDevice& column : devices_) {
      const std::string word = next_word(line.text, at);
      if (word.empty())
        text_.fail(line.number, device.name + " has " + std::to_string(device.cells.size()) +
                                    " cells (legal: " + std::to_string(devices_.size()) + ", one for each row)");
      device.cells.push_back(cell(device, column, word));
    }
    device.affinity = affinity(line.text.substr(at));
  }

  MatrixCell cell(const MatrixDevice& row, const MatrixDevice& column, const std::string& word) const {
    const std::string where = row.name + " to " + column.name + ": ";
    MatrixCell read;
    if (begins(word, "NV") && decimal(word.substr(2), 1, most_nvlinks) > 0) {
      read = {Route::nvlink, decimal(word.substr(2), 1, most_nvlinks)};
    } else {
      const auto* const found =
          std::find_if(std::begin(symbols), std::end(symbols), [&](const Symbol& s) { return word == s.text; });
      if (is_peer_cell(word))
        text_.fail(row.line, where + quoted(word) + " is of nvidia-smi topo -p2p, which has no links" + legal_forms);
      if (found == std::end(symbols))
        text_.fail(row.line, where + quoted(word) + " (legal: X, NV1 to NV" + std::to_string(most_nvlinks) +
                                 ", PIX, PXB, PHB, NODE, SYS, SOC, N/A)");
      read.route = found->route;
    }
    if ((read.route == Route::self) != (&row == &column))
      text_.fail(row.line, where + quoted(word) + (&row == &column ? " (legal: X)" : " (legal: X only on the diagonal)"));
    if (read.route == Route::nvlink && !(row.gpu && column.gpu))
      text_.fail(row.line, where + quoted(word) + " (legal: NVLinks between GPUs)");
    return read;
  }

  /// Returns the affinity in the columns after the cells; a column between tabs may be empty.
  std::string affinity(const std::string& rest) const {
    std::string first, second;
    if (rest.find('\t') != std::string::npos) {
      const std::size_t begin = rest.find('\t') + 1, end = std::min(rest.find('\t', begin), rest.size());
      first = trimmed(rest.substr(begin, end - begin));
      const std::size_t next = std::min(end + 1, rest.size());
      second = trimmed(rest.substr(next, std::min(rest.find('\t', next), rest.size()) - next));
    } else {
      std::size_t at = 0;
      first = next_word(rest, at);
      second = next_word(rest, at);
    }
    const auto known = [](const std::string& text) { return text == "N/A" ? "" : text; };
    if (processors_ && !known(first).empty()) return first;
    return processors_ ? (numa_ ? known(second) : "") : (numa_ ? known(first) : "");
  }

  void check_symmetry() const {
    for (std::size_t a = 0; a < devices_.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        const MatrixCell &there = devices_[a].cells[b], &back = devices_[b].cells[a];
        if (there.route != back.route || there.links != back.links)
          text_.fail(devices_[a].line, devices_[a].name + " to " + devices_[b].name + " differs from " + devices_[b].name +
                                           " to " + devices_[a].name + " of line " + std::to_string(devices_[b].line) +
                                           " (legal: a symmetric table)");
      }
  }

  /// Checks lines such as `NIC0: mlx5_0` below `NIC Legend:`. A table whose rows of NICs were left out may keep its legend.
  void check_legend(std::size_t at) {
    while (at < lines_.size() && trimmed(lines_[at].text) != "NIC Legend:") ++at;
    std::set<std::string> told;
    for (++at; at < lines_.size(); ++at) {
      const std::string line = trimmed(lines_[at].text);
      const std::size_t colon = line.find(": ");
      if (line.empty() && told.empty()) continue;
      if (colon == std::string::npos) return;
      const std::string name = line.substr(0, colon);
      if (names_.count(name) == 0 && gpus_ < devices_.size())
        text_.fail(lines_[at].number, "the legend names " + quoted(name) + " (legal: rows of the table)");
      if (names_.count(name) == 0 && told.empty())
        notes_.push_back("line " + std::to_string(lines_[at].number) + ": the legend names " + quoted(name) +
                         ", but the table has no rows of NICs: they are left out");
      if (!told.insert(name).second) text_.fail(lines_[at].number, "the legend names " + quoted(name) + " twice");
    }
  }

  const TopologyText& text_;
  std::vector<Line> lines_;
  std::vector<MatrixDevice> devices_;
  std::vector<std::string> notes_;
  std::set<std::string> names_;
  int last_gpu_ = -1;
  std::size_t gpus_ = 0;
  bool processors_ = false, numa_ = false;
};

}  // namespace

TopoMatrix read_topo_matrix(const TopologyText& text) { return MatrixReader(text).result(); }

}  // namespace tributary::topology
