#include "testbench/observe/block_waveform.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "testbench/observe/gtkwave_format.h"
#include "testbench/observe/vcd_writer.h"

namespace tributary {
namespace {

constexpr const char* idle = "-";

/// Numbers of the block's opcodes in the waveform; 0 while the wire carries other packets.
class OpcodeNames {
 public:
  explicit OpcodeNames(const std::vector<BlockEvent>& events) {
    for (const BlockEvent& e : events)
      if (e.kind != BlockEvent::Kind::reduced && number_of(e.opcode_name) == 0) names_.push_back(e.opcode_name);
  }
  std::uint64_t number_of(const std::string& name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    return found == names_.end() ? 0 : static_cast<std::uint64_t>(found - names_.begin());
  }
  const std::string& name_of(std::uint64_t number) const { return names_.at(number); }
  void write(const std::string& file) const {
    std::vector<const char*> texts;
    for (const std::string& name : names_) texts.push_back(name.c_str());
    texts.push_back(nullptr);
    write_filter(file, texts.data(), 8);
  }

 private:
  std::vector<std::string> names_{idle};
};

struct Place {
  BlockEvent::Kind kind = BlockEvent::Kind::sent;
  std::string scope;  ///< scope of its signals in the dump
  VcdWriter::Signal first = 0;
};

struct Field {
  const char* name;
  SignalKind kind;
  unsigned width;
  WaveFormat format;
};
const std::vector<Field>& fields_of(BlockEvent::Kind kind) {
  static const std::vector<Field> packet{{"opcode", SignalKind::level, 8, WaveFormat::names},
                                         {"source", SignalKind::level, 16, WaveFormat::decimal},
                                         {"operands", SignalKind::level, 16, WaveFormat::decimal}};
  static const std::vector<Field> entry{{"valid", SignalKind::level, 1, WaveFormat::binary},
                                        {"count", SignalKind::level, 16, WaveFormat::decimal},
                                        {"from", SignalKind::level, 16, WaveFormat::decimal},
                                        {"operand", SignalKind::real, 64, WaveFormat::real},
                                        {"value", SignalKind::real, 64, WaveFormat::real}};
  return kind == BlockEvent::Kind::reduced ? entry : packet;
}

/// Removes redundant events of a chunk: an issued row that is followed by its transmission, and an arrived chunk that
/// is followed by its addition. Arrivals after the last completion are results.
std::vector<BlockEvent> shown_events(const BlockQuery& query, const std::vector<BlockEvent>& events) {
  if (!query.chunk) return events;
  Tick completion = 0;
  for (const BlockEvent& e : events)
    if (e.kind == BlockEvent::Kind::reduced && e.what == ReductionEvent::Kind::completed) completion = e.time;
  std::vector<BlockEvent> shown;
  for (const BlockEvent& e : events) {
    const bool result = e.kind == BlockEvent::Kind::delivered && e.since >= completion;
    if (e.kind == BlockEvent::Kind::sent || e.kind == BlockEvent::Kind::reduced || result) shown.push_back(e);
  }
  return shown;
}

Tick end_of(const std::vector<BlockEvent>& events) {
  Tick end = 0;
  for (const BlockEvent& e : events) end = std::max(end, e.end);
  return end;
}

class Waves {
 public:
  Waves(const std::string& file, const std::vector<BlockEvent>& events) : writer_(file), opcodes_(events) {
    for (const BlockEvent& e : events) place(e);
    writer_.start();
    for (const BlockEvent& e : events) e.kind == BlockEvent::Kind::reduced ? reduction(e) : packet(e);
    writer_.finish(2 * end_of(events));
    opcodes_.write(file + ".gtkw.names");
  }

  void save(const std::string& file, const std::string& title, const std::vector<BlockEvent>& events) const {
    GtkwaveFile out(file + ".gtkw", file);
    const Tick begin = events.front().time, end = end_of(events), margin = (end - begin) / 50 + 1;
    out.view(begin - std::min(begin, margin), end + margin, begin, markers_of(events));
    out.comment(title);
    for (const std::string& name : order_) show(out, base_name(file) + ".gtkw.names", name);
    out.close();
  }

 private:
  void place(const BlockEvent& e) {
    if (places_.count(e.place) != 0) return;
    Place p{e.kind, scope_of(e.place)};
    if (e.kind == BlockEvent::Kind::delivered) p.scope += ".arrival";
    p.first = ~VcdWriter::Signal{0};
    for (const Field& f : fields_of(e.kind)) {
      VcdWriter::Names names;
      if (f.format == WaveFormat::names) names = [this](std::uint64_t number) { return opcodes_.name_of(number); };
      const VcdWriter::Signal s = writer_.add(p.scope + "." + f.name, f.kind, f.width, std::move(names));
      p.first = std::min(p.first, s);
    }
    places_.emplace(e.place, p);
    order_.push_back(e.place);
  }

  // The arrival of a packet is an instant; it is drawn with a visible length.
  void packet(const BlockEvent& e) {
    const VcdWriter::Signal s = places_.at(e.place).first;
    const bool arrival = e.kind == BlockEvent::Kind::delivered;
    const Tick begin = arrival ? e.since : e.time;
    const Tick end = arrival ? std::max(e.time, begin + shown_arrival) : e.end;
    writer_.change(s, begin, opcodes_.number_of(e.opcode_name));
    writer_.change(s + 1, begin, e.source);
    writer_.change(s + 2, begin, e.count);
    writer_.change(s, end, 0);
  }

  void reduction(const BlockEvent& e) {
    const VcdWriter::Signal s = places_.at(e.place).first;
    writer_.change(s, e.time, e.what != ReductionEvent::Kind::freed);
    writer_.change(s + 1, e.time, e.count);
    if (e.source != ReductionEvent::no_source) writer_.change(s + 2, e.time, e.source);
    if (e.operand) writer_.change(s + 3, e.time, VcdWriter::bits_of(*e.operand));
    if (e.value) writer_.change(s + 4, e.time, VcdWriter::bits_of(*e.value));
  }

  void show(GtkwaveFile& out, const std::string& filter, const std::string& name) const {
    const Place& p = places_.at(name);
    const std::vector<Field>& fields = fields_of(p.kind);
    if (p.kind != BlockEvent::Kind::reduced) {
      out.wire(p.scope + "." + fields[0].name, label_of(name), fields[0].width, fields[0].format, filter);
      return;
    }
    out.open_group(name);
    for (const Field& f : fields) out.wire(p.scope + "." + f.name, f.name, f.width, f.format, filter);
    out.close_group(name);
  }

  static constexpr Tick shown_arrival = 5'000;
  VcdWriter writer_;
  OpcodeNames opcodes_;
  std::map<std::string, Place> places_;
  std::vector<std::string> order_;  ///< in the order of their first events
};

}  // namespace

void write_block_waveform(const std::string& file, const BlockQuery& query, const std::vector<BlockEvent>& events) {
  const std::vector<BlockEvent> shown = shown_events(query, events);
  const Waves waves(file, shown);
  if (shown.empty()) return;
  waves.save(file, (query.chunk ? "life of chunk " : "life of block ") + std::to_string(query.block), shown);
}

void BlockTrace::write_waveform(const std::string& file) const { write_block_waveform(file, query_, events()); }

}  // namespace tributary
