#include "testbench/observe/gtkwave_save.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <tuple>

#include "testbench/observe/natural_order.h"
#include "testbench/observe/output_file.h"
#include "testbench/observe/vcd_writer.h"

namespace tributary {
namespace {

// Display flags of GTKWave (its analyzer.h): right-justified 0x20 + base, analogue steps over the full scale, group marks.
constexpr const char* as_hexadecimal = "@22";
constexpr const char* as_decimal = "@24";
constexpr const char* as_binary = "@28";
constexpr const char* as_steps = "@88024";
constexpr const char* more_height = "@20000\n-";
constexpr const char* open_group = "@800200";
constexpr const char* open_group_end = "@1000200";
constexpr const char* closed_group = "@c00200";
constexpr const char* closed_group_end = "@1401200";

// More places than this start collapsed.
constexpr std::size_t places_shown_open = 4;

// A signal and where it stands: `dgx2.switch0_2.port5` / `table` / `entry0 tag`.
struct Row {
  std::string place, block, label;
  std::size_t block_rank, label_rank;
  const DisplayedSignal* signal;
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

// `entry3`, `vc0`, `wave7`: one of several alike inside a block, no block of its own.
bool is_member(const std::string& scope) {
  static const std::array<std::string_view, 4> kinds{"entry", "vc", "wave", "counter"};
  const std::size_t digits = scope.find_last_not_of("0123456789") + 1;
  return digits < scope.size() && rank_in(kinds, scope.substr(0, digits)) < kinds.size();
}

Row place(const DisplayedSignal& s) {
  static const std::array<std::string_view, 5> blocks{"input", "table", "replication", "output", "link"};
  static const std::array<std::string_view, 10> labels{"occupancy", "allocations", "merges", "completions", "evictions",
                                                       "timeouts",  "stalls",      "misses", "queue",       "tag"};
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

bool has_word(const std::string& text, const std::string& word) {
  const auto letter = [&](std::size_t i) { return i < text.size() && std::isalpha(static_cast<unsigned char>(text[i])); };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    if (!(at > 0 && letter(at - 1)) && !letter(at + word.size())) return true;
  return false;
}

const char* format_of(const DisplayedSignal& s, const std::string& leaf) {
  if (leaf == "flits" && s.kind != SignalKind::strobe) return as_steps;
  if (s.width == 1) return as_binary;
  for (const char* word : {"tag", "address"})
    if (leaf == word || has_word(s.about, word)) return as_hexadecimal;
  return as_decimal;
}

void write_wire(OutputFile& out, const Row& row, const std::string& name, const std::string& label) {
  const std::string leaf = row.signal->name.substr(row.signal->name.rfind('.') + 1);
  const std::string format = format_of(*row.signal, leaf);
  const unsigned width = row.signal->width;
  const std::string range = width > 1 ? "[" + std::to_string(width - 1) + ":0]" : "";
  out.append(format + "\n+{" + label + "} " + name + range + "\n");
  if (format == as_steps) out.append(std::string(more_height) + "\n");
}

void write_row(OutputFile& out, const Row& row) {
  const DisplayedSignal& s = *row.signal;
  if (s.kind != SignalKind::strobe) return write_wire(out, row, s.name, row.label);
  out.append(std::string(as_binary) + "\n+{" + row.label + "} " + s.name + "\n");
  if (s.width > 0) write_wire(out, row, VcdWriter::value_name(s.name), row.label + " value");
}

void write_mark(OutputFile& out, const char* flag, const std::string& name) {
  out.append(std::string(flag) + "\n-" + name + "\n");
}

// GTKWave draws 200 pixels for 2^-zoom time units.
void write_view(OutputFile& out, Tick begin, Tick end) {
  constexpr double wave_pixels = 1150;
  const double zoom = -std::log2(std::max(1.0, static_cast<double>(end) * 200 / wave_pixels));
  char text[40];
  std::snprintf(text, sizeof text, "*%.6f ", zoom);
  out.append("[timestart] 0\n[size] 1600 900\n[pos] -1 -1\n" + (text + std::to_string(begin)) + " -1 -1 -1 -1 -1\n");
  out.append("[sst_expanded] 0\n[signals_width] 330\n");
}

void write_block(OutputFile& out, const std::vector<Row>& rows, std::size_t begin, std::size_t end) {
  write_mark(out, open_group, rows[begin].block);
  std::size_t i = begin;
  for (; i < end && !rows[i].signal->silent; ++i) write_row(out, rows[i]);
  if (i < end) write_mark(out, closed_group, "never fired");
  for (std::size_t k = i; k < end; ++k) write_row(out, rows[k]);
  if (i < end) write_mark(out, closed_group_end, "never fired");
  write_mark(out, open_group_end, rows[begin].block);
}

// First row from `begin` on that differs in `key`.
template <class Key>
std::size_t run_end(const std::vector<Row>& rows, std::size_t begin, Key key) {
  std::size_t end = begin;
  while (end < rows.size() && rows[end].place == rows[begin].place && key(rows[end]) == key(rows[begin])) ++end;
  return end;
}

void write_place(OutputFile& out, const std::vector<Row>& rows, std::size_t begin, std::size_t end, bool open) {
  const std::string& name = rows[begin].place;
  if (!name.empty()) write_mark(out, open ? open_group : closed_group, name);
  while (begin < end) {
    const std::size_t next = run_end(rows, begin, [](const Row& r) { return r.block; });
    write_block(out, rows, begin, next);
    begin = next;
  }
  if (!name.empty()) write_mark(out, open ? open_group_end : closed_group_end, name);
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

void write_gtkwave_save(const std::string& file, const std::string& vcd, const std::vector<DisplayedSignal>& signals,
                        Tick begin, Tick end) {
  std::vector<Row> rows;
  for (const DisplayedSignal& s : signals) rows.push_back(place(s));
  std::sort(rows.begin(), rows.end(), before);

  OutputFile out(file);
  out.append("[*] Tributary\n[dumpfile] \"" + base_name(vcd) + "\"\n[savefile] \"" + base_name(file) + "\"\n");
  write_view(out, begin, end);
  std::vector<std::size_t> starts{0};
  while (starts.back() < rows.size()) starts.push_back(run_end(rows, starts.back(), [](const Row&) { return 0; }));
  for (std::size_t i = 0; i + 1 < starts.size(); ++i)
    write_place(out, rows, starts[i], starts[i + 1], starts.size() - 1 <= places_shown_open);
  out.close();
}

}  // namespace tributary
