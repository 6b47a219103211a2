#include "testbench/observe/gtkwave_save.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>

#include "testbench/observe/gtkwave_format.h"
#include "testbench/observe/natural_order.h"
#include "testbench/observe/vcd_writer.h"

namespace tributary {
namespace {

// A signal and its position: `dgx2.switch0_2.port5` / `table` / `entry0 tag`.
struct Row {
  std::string place, block, label;
  std::size_t block_rank, label_rank;
  const TracedSignal* signal;
};

template <std::size_t N>
std::size_t rank_in(const std::array<std::string_view, N>& order, std::string_view word) {
  return static_cast<std::size_t>(std::find(order.begin(), order.end(), word) - order.begin());
}

std::string cut_last(std::string& path) {
  const std::size_t dot = path.rfind('.');
  std::string last = dot == std::string::npos ? path : path.substr(dot + 1);
  path.erase(dot == std::string::npos ? 0 : dot);
  return last;
}

// True for an element of an array inside a block, such as `entry3`, `vc0`, `wave7`.
bool is_member(const std::string& scope) {
  static const std::array<std::string_view, 4> kinds{"entry", "vc", "wave", "counter"};
  const std::size_t digits = scope.find_last_not_of("0123456789") + 1;
  return digits < scope.size() && rank_in(kinds, scope.substr(0, digits)) < kinds.size();
}

Row place(const TracedSignal& s) {
  static const std::array<std::string_view, 8> blocks{"input", "nic",         "schedule", "sum",
                                                      "table", "replication", "output",   "link"};
  static const std::array<std::string_view, 30> labels{
      "occupancy", "allocations", "merges", "completions", "evictions", "timeouts",    "stalls", "misses",
      "queue",     "busy",        "block",  "opcode",      "source",    "valid",       "tag",    "flow",
      "step",      "parent",      "child0", "child1",      "child2",    "child3",      "waits",  "ready",
      "issued",    "count",       "from",   "operand",     "value",     "contributors"};
  std::string path = s.name;
  Row row{"", "", cut_last(path), 0, 0, &s};
  row.label_rank = rank_in(labels, row.label);
  std::string scope = cut_last(path);
  if (is_member(scope)) {
    row.label = scope + " " + row.label;
    scope = cut_last(path);
  }
  row.place = path;
  row.block = scope;
  row.block_rank = rank_in(blocks, scope);
  return row;
}

bool before(const Row& a, const Row& b) {
  if (a.place != b.place) return natural_less(a.place, b.place);
  if (a.block != b.block) return std::tie(a.block_rank, a.block) < std::tie(b.block_rank, b.block);
  if (a.signal->silent != b.signal->silent) return b.signal->silent;
  const std::string_view member_a(a.label.data(), a.label.find(' ') + 1), member_b(b.label.data(), b.label.find(' ') + 1);
  if (member_a != member_b) return natural_less(member_a, member_b);
  if (a.label_rank != b.label_rank) return a.label_rank < b.label_rank;
  return natural_less(a.label, b.label);
}

WaveFormat format_of(const TracedSignal& s, const std::string& leaf) {
  if (s.kind == SignalKind::real) return WaveFormat::real;
  if (s.names != nullptr) return WaveFormat::names;
  if (s.width > 64) return WaveFormat::hexadecimal;
  if (leaf == "flits" && s.kind != SignalKind::strobe) return WaveFormat::steps;
  if (s.width == 1 || s.field == SignalField::entry_contributors || s.field == SignalField::entry_contributors_64 ||
      s.field == SignalField::row_waits)
    return WaveFormat::binary;
  return WaveFormat::decimal;
}

/// Filter files in the folder of the save file, one per list of names.
class Filters {
 public:
  explicit Filters(std::string prefix) : prefix_(std::move(prefix)) {}
  std::string of(const TracedSignal& s) {
    if (s.names == nullptr) return {};
    std::string& file = files_[s.names];
    if (file.empty()) {
      file = prefix_ + (files_.size() == 1 ? ".names" : ".names" + std::to_string(files_.size()));
      write_filter(file, s.names, s.width);
    }
    return base_name(file);
  }

 private:
  std::string prefix_;
  std::map<const char* const*, std::string> files_;
};

struct Output {
  GtkwaveFile file;
  Filters filters;
};

void write_row(Output& out, const Row& row) {
  const TracedSignal& s = *row.signal;
  const std::string leaf = s.name.substr(s.name.rfind('.') + 1);
  const WaveFormat format = format_of(s, leaf);
  if (s.kind != SignalKind::strobe) return out.file.wire(s.name, row.label, s.width, format, out.filters.of(s));
  out.file.event(s.name, row.label);
  if (s.width > 0) out.file.wire(VcdWriter::value_name(s.name), row.label + " value", s.width, format);
}

/// Returns the lines of a signal: an event has one for its number, too.
std::size_t lines_of(const Row& row) { return row.signal->kind == SignalKind::strobe && row.signal->width > 0 ? 2 : 1; }

/// `silent_open`: signals that never changed are visible.
void write_block(Output& out, const std::vector<Row>& rows, std::size_t begin, std::size_t end, bool silent_open) {
  const char* const never = "never changed";
  out.file.open_group(rows[begin].block);
  std::size_t i = begin;
  for (; i < end && !rows[i].signal->silent; ++i) write_row(out, rows[i]);
  if (i < end) out.file.open_group(never, !silent_open);
  for (std::size_t k = i; k < end; ++k) write_row(out, rows[k]);
  if (i < end) out.file.close_group(never, !silent_open);
  out.file.close_group(rows[begin].block);
}

// Returns the first row from `begin` on that differs in `key`.
template <class Key>
std::size_t run_end(const std::vector<Row>& rows, std::size_t begin, Key key) {
  std::size_t end = begin;
  while (end < rows.size() && rows[end].place == rows[begin].place && key(rows[end]) == key(rows[begin])) ++end;
  return end;
}

/// Returns the lines that an open place needs while signals that never changed are folded.
std::size_t lines_of(const std::vector<Row>& rows, std::size_t begin, std::size_t end) {
  std::size_t lines = 1;
  for (std::size_t i = begin; i < end; ++i) {
    if (i == begin || rows[i].block != rows[i - 1].block) ++lines;
    if (!rows[i].signal->silent)
      lines += lines_of(rows[i]);
    else if (i == begin || rows[i].block != rows[i - 1].block || !rows[i - 1].signal->silent)
      ++lines;  // the folded group
  }
  return lines;
}

void write_place(Output& out, const std::vector<Row>& rows, std::size_t begin, std::size_t end, bool open,
                 bool silent_open) {
  const std::string& name = rows[begin].place;
  if (!name.empty()) out.file.open_group(name, !open);
  while (begin < end) {
    const std::size_t next = run_end(rows, begin, [](const Row& r) { return r.block; });
    write_block(out, rows, begin, next, silent_open);
    begin = next;
  }
  if (!name.empty()) out.file.close_group(name, !open);
}

}  // namespace

void write_gtkwave_save(const std::string& file, const std::string& vcd, const std::vector<TracedSignal>& signals,
                        Tick begin, Tick end) {
  std::vector<Row> rows;
  for (const TracedSignal& s : signals) rows.push_back(place(s));
  std::sort(rows.begin(), rows.end(), before);

  Output out{GtkwaveFile(file, vcd), Filters(file)};
  out.file.view(0, end, begin, {});
  std::vector<std::size_t> starts{0};
  while (starts.back() < rows.size()) starts.push_back(run_end(rows, starts.back(), [](const Row&) { return 0; }));
  std::size_t all = 0, visible = 0;
  for (const Row& row : rows) all += lines_of(row);
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    const bool changes = std::any_of(rows.begin() + static_cast<std::ptrdiff_t>(starts[i]),
                                     rows.begin() + static_cast<std::ptrdiff_t>(starts[i + 1]),
                                     [](const Row& row) { return !row.signal->silent; });
    const std::size_t lines = lines_of(rows, starts[i], starts[i + 1]);
    const bool open = all <= rows_open || (changes && (visible == 0 || visible + lines <= rows_open));
    if (open) visible += lines;
    write_place(out, rows, starts[i], starts[i + 1], open, all <= rows_open);
  }
  out.file.close();
}

}  // namespace tributary
