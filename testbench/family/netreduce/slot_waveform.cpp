/// Writes the life of a slot as a value change dump with a save file for GTKWave.

#include <algorithm>
#include <utility>

#include "testbench/family/netreduce/slot_trace.h"
#include "testbench/observe/gtkwave_format.h"
#include "testbench/observe/vcd_writer.h"
#include "testbench/observe/wave_names.h"

namespace tributary {
namespace {

using Kind = SlotMoment::Kind;
using What = SlotEvent::Kind;
using Signal = VcdWriter::Signal;

enum class Row : std::uint8_t { link, slot, sender, memory };

struct Field {
  const char* name;
  SignalKind kind;
  unsigned width;
  WaveFormat format;
  WaveNames* names = nullptr;
};

/// A row of the picture, or a group of rows: a link, a slot, the sender of a NIC, the memory of a host.
struct Place {
  Row row;
  std::string scope;  ///< scope of its signals in the dump
  std::vector<Field> fields;
  std::string heading = {};  ///< title above the rows of this kind
  Signal first = 0;
};

const WaveNames::Colours& colours() {
  static const WaveNames::Colours all{{"gradient", "?DarkGreen?"},  {"result", "?RoyalBlue?"},    {"sum", "?DarkCyan?"},
                                      {"whole sum", "?RoyalBlue?"}, {"NACK", "?DarkOrange?"},     {"lost", "?Red?"},
                                      {"dropped", "?Red?"},         {"damaged", "?Red?"},         {"doubled", "?Purple?"},
                                      {"timeout", "?Red?"},         {"goes back", "?DarkOrange?"}};
  return all;
}

std::string part_name(const SlotMoment& m) {
  static const char* const names[] = {"gradient", "result", "sum", "whole sum", "notification", "NACK"};
  return names[static_cast<unsigned>(m.part)];
}

class SlotWaves {
 public:
  SlotWaves(const std::string& file, const SlotTrace& trace, const std::vector<SlotMoment>& moments)
      : file_(file), trace_(trace), writer_(file) {
    for (const SlotMoment& m : moments) add(m);
    writer_.start();
    for (const SlotMoment& m : moments) show(m), end_ = std::max(end_, m.end);
    writer_.finish(2 * end_);
    for (const WaveNames* names : {&parts_, &kinds_, &stations_, &senders_}) names->write();
  }

  void save(const std::string& title, const std::vector<SlotMoment>& moments) const {
    GtkwaveFile out(file_ + ".gtkw", file_);
    const Tick begin = moments.front().time, margin = (end_ - begin) / 20 + 1;
    out.view(begin - std::min(begin, 2 * margin), end_ + margin, begin,
             markers_of(moments));  // leaves room for the names of the markers
    out.comment(title);
    std::string heading;
    for (const std::string& name : order_) {
      const std::string& now = places_.at(name).heading;
      if (!now.empty() && std::exchange(heading, now) != now) out.comment(now);
      show_place(out, name);
    }
    const std::string headers = "kind, PSN and message of each frame";
    out.open_group(headers, true);
    for (const std::string& name : order_)
      if (const Place& p = places_.at(name); p.row == Row::link)
        for (std::size_t i = 1; i < p.fields.size(); ++i) wire(out, p, i, label_of(p.scope) + ":" + p.fields[i].name);
    out.close_group(headers, true);
    out.close();
  }

 private:
  // ---- names of rows

  std::vector<Field> fields_of(Row row, unsigned members) {
    constexpr SignalKind level = SignalKind::level, real = SignalKind::real;
    switch (row) {
      case Row::link:
        return {{"packet", level, WaveNames::width, WaveFormat::names, &parts_},
                {"kind", level, WaveNames::width, WaveFormat::names, &kinds_},
                {"psn", level, 24, WaveFormat::decimal},
                {"message", level, 32, WaveFormat::decimal}};
      case Row::slot:
        return {{"bitmap", level, members, WaveFormat::binary},
                {"from", level, WaveNames::width, WaveFormat::names, &stations_},
                {"gradient", real, 64, WaveFormat::real},
                {"clt_message", level, 32, WaveFormat::decimal},
                {"headers", level, members, WaveFormat::binary},
                {"done", level, 1, WaveFormat::binary},
                {"sum", real, 64, WaveFormat::real},
                {"sum_leaves_again", level, 16, WaveFormat::decimal}};
      case Row::sender:
        return {{"sender", level, WaveNames::width, WaveFormat::names, &senders_}};
      case Row::memory:
        return {{"has_result", level, 1, WaveFormat::binary}, {"sum", real, 64, WaveFormat::real}};
    }
    return {};
  }

  /// Returns the name of the row of an event; empty for the end of a frame at a switch or accelerator, which has no row.
  static std::string name_of(const SlotMoment& m) {
    switch (m.kind) {
      case Kind::delivered:
        return m.place.substr(0, m.place.find('.')) + ".memory";
      case Kind::timed_out:
      case Kind::rewound:
        return m.place + ".sender";
      case Kind::fate:
        return m.place.find('>') == std::string::npos ? std::string() : m.place;
      default:
        return m.place;
    }
  }
  static Row row_of(const SlotMoment& m) {
    if (m.kind == Kind::delivered) return Row::memory;
    if (m.kind == Kind::timed_out || m.kind == Kind::rewound) return Row::sender;
    return m.kind == Kind::slot ? Row::slot : Row::link;
  }

  static std::string heading_of(const SlotMoment& m) {
    if (m.kind == Kind::delivered) return "results in memory";
    if (m.kind == Kind::timed_out || m.kind == Kind::rewound) return "senders that rewind";
    if (m.kind == Kind::slot) return {};
    const bool host = m.place.rfind("host", 0) == 0 || m.place.find(">host") != std::string::npos;
    switch (m.part) {
      case SlotPart::gradient:
        return host ? "gradients leave the hosts" : "gradients come to an accelerator";
      case SlotPart::result:
        return host ? "results come to the hosts" : "results leave an accelerator";
      case SlotPart::sum:
        return "sums of racks go up";
      case SlotPart::whole_sum:
        return "sums of all come down";
      case SlotPart::notification:
        return "notifications";
      case SlotPart::nack:
        return "NACKs";
    }
    return {};
  }

  void add(const SlotMoment& m) {
    const std::string name = name_of(m);
    if (name.empty() || places_.count(name) != 0) return;
    Place p{row_of(m), scope_of(name), fields_of(row_of(m), std::max<unsigned>(m.what.ranks, 1))};
    p.heading = heading_of(m);
    p.first = ~Signal{0};
    for (const Field& f : p.fields) {
      VcdWriter::Names names;
      if (f.names != nullptr) names = [all = f.names](std::uint64_t number) { return all->name_of(number); };
      p.first = std::min(p.first, writer_.add(p.scope + "." + f.name, f.kind, f.width, std::move(names)));
    }
    places_.emplace(name, p);
    order_.push_back(name);
  }

  // ---- changes

  void show(const SlotMoment& m) {
    const std::string name = name_of(m);
    if (name.empty()) return;
    const Signal s = places_.at(name).first;
    switch (m.kind) {
      case Kind::delivered:
        writer_.change(s, m.time, 1);
        if (m.value) writer_.change(s + 1, m.time, VcdWriter::bits_of(*m.value));
        return;
      case Kind::timed_out:
      case Kind::rewound:
        return writer_.change(s, m.time, senders_.number_of(m.kind == Kind::rewound ? "goes back" : "timeout"));
      case Kind::slot:
        return show_slot(s, m);
      case Kind::sent:
      case Kind::fate:
        return show_frame(s, m);
    }
  }

  /// Shows a frame while it is on the wire. Frames that do not arrive have names of their own.
  void show_frame(Signal s, const SlotMoment& m) {
    writer_.change(s, m.time, parts_.number_of(m.kind == Kind::sent ? part_name(m) : first_word(m.fate)));
    writer_.change(s + 1, m.time, kinds_.number_of(frame_kind_names[static_cast<unsigned>(m.frame)]));
    writer_.change(s + 2, m.time, m.psn);
    writer_.change(s + 3, m.time, trace_.message());
    if (m.kind != Kind::sent) return;
    for (unsigned i = 0; i < 2; ++i) writer_.change(s + i, m.end, 0);
    const auto sender =
        places_.find(trace_.station(m.source) + ".nic.sender");  // the sender has repeated the requested packet
    if (m.part == SlotPart::gradient && sender != places_.end() && m.place.rfind(trace_.station(m.source) + ".", 0) == 0)
      writer_.change(sender->second.first, m.time, 0);
  }

  void show_slot(Signal s, const SlotMoment& m) {
    const SlotEvent& e = m.what;
    const bool packet = e.kind == What::stored || e.kind == What::completed || e.kind == What::duplicate;
    if (packet) {
      std::uint64_t& headers = headers_[m.place];
      writer_.change(s, m.time, e.bitmap);
      writer_.change(s + 1, m.time, stations_.number_of(trace_.station(m.source)));
      if (m.operand) writer_.change(s + 2, m.time, VcdWriter::bits_of(*m.operand));
      if (m.entry) writer_.change(s + 3, m.time, *m.entry);
      writer_.change(s + 4, m.time, headers |= e.member);
    }
    if (e.kind == What::completed) writer_.change(s + 5, m.time, 1);
    if (e.kind == What::again) writer_.change(s + 7, m.time, ++again_[m.place]);
    if (m.value) writer_.change(s + 6, m.time, VcdWriter::bits_of(*m.value));
  }

  // ---- the view

  void wire(GtkwaveFile& out, const Place& p, std::size_t i, const std::string& label) const {
    const Field& f = p.fields[i];
    out.wire(p.scope + "." + f.name, label, f.width, f.format, f.names == nullptr ? std::string() : f.names->file());
  }

  void show_place(GtkwaveFile& out, const std::string& name) const {
    const Place& p = places_.at(name);
    if (p.row != Row::slot) return wire(out, p, 0, label_of(name));
    out.open_group(name);
    for (std::size_t i = 0; i < p.fields.size(); ++i) {
      std::string label = p.fields[i].name;
      std::replace(label.begin(), label.end(), '_', ' ');
      wire(out, p, i, label);
    }
    out.close_group(name);
  }

  std::string file_;
  const SlotTrace& trace_;
  VcdWriter writer_;
  WaveNames parts_{file_ + ".gtkw.names", {"-"}, colours()}, kinds_{file_ + ".gtkw.names2", {"-"}};
  WaveNames stations_{file_ + ".gtkw.names3", {"-"}}, senders_{file_ + ".gtkw.names4", {"-"}, colours()};
  std::map<std::string, Place> places_;
  std::vector<std::string> order_;  ///< scopes in the order of their first events
  std::map<std::string, std::uint64_t> headers_, again_;
  Tick end_ = 0;
};

}  // namespace

void SlotTrace::write_waveform(const std::string& file) const {
  const std::vector<SlotMoment> all = moments();
  const SlotWaves waves(file, *this, all);
  if (!all.empty())
    waves.save("life of block " + std::to_string(packet()) + ": packet " + std::to_string(offset()) + " of message " +
                   std::to_string(message()),
               all);
}

}  // namespace tributary
