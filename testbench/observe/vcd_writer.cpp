#include "testbench/observe/vcd_writer.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "testbench/observe/fst_file.h"
#include "testbench/observe/vcd_header.h"

namespace tributary {

namespace {

/// Returns the name of the dump.
std::string dump_of(const std::string& file) {
  if (!is_fst(file)) return file;
  require_fst_converter(file);
  return file + ".vcd";
}

}  // namespace

VcdWriter::VcdWriter(const std::string& file) : file_(file), out_(dump_of(file)) {}

VcdWriter::Signal VcdWriter::add(const std::string& name, SignalKind kind, unsigned width, Names names) {
  if ((width > 64 && kind != SignalKind::level) || (width == 0 && kind != SignalKind::strobe))
    throw std::logic_error("signal '" + name + "' declares " + std::to_string(width) + " bits; legal: 1 to 64");
  State s{name, kind, width, kind != SignalKind::strobe, false, 0, 0, "", "", std::move(names), ""};
  if (width > 0) s.code = vcd_code(codes_++);
  if (kind == SignalKind::strobe) s.event_code = vcd_code(codes_++);
  if (s.names) s.text_code = vcd_code(codes_++);
  signals_.push_back(std::move(s));
  return static_cast<Signal>(signals_.size() - 1);
}

void VcdWriter::start() {
  using Type = VcdVariable::Type;
  std::vector<VcdVariable> variables;
  for (const State& s : signals_) {
    const bool strobe = s.kind == SignalKind::strobe;
    if (strobe) variables.push_back({s.name, Type::event, 1, s.event_code});
    if (s.names) variables.push_back({text_name(s.name), Type::text, 1, s.text_code});
    if (s.width == 0) continue;
    const Type type = s.kind == SignalKind::real ? Type::real : Type::wire;
    variables.push_back({strobe ? value_name(s.name) : s.name, type, s.width, s.code});
  }
  write_vcd_header(out_, std::move(variables));
  out_.append("#0\n$dumpvars\n");
  for (const State& s : signals_) {
    const std::string value = s.known ? "0" : "x", digit = s.kind == SignalKind::real ? "r" : "b";
    if (s.width > 0) out_.append((s.width == 1 ? value : digit + value + " ") + s.code + "\n");
    if (s.names) write_text(s, 0);
  }
  out_.append("$end\n");
  out_.flush();
}

void VcdWriter::change_bytes(Signal signal, Tick time, const std::uint8_t* bytes) {
  bytes_.emplace(next_bytes_, Bytes(bytes, bytes + (signals_[signal].width + 7) / 8));
  pending_.push_back({time, next_bytes_++, signal, 0});
}

void VcdWriter::advance(Tick watermark) {
  if (!open_ || watermark <= watermark_) return;
  take_due(watermark);
  write_due();
  watermark_ = watermark;
}

void VcdWriter::finish(Tick end) {
  if (!open_) return;
  advance(never);
  if (end > written_) out_.append("#" + std::to_string(end) + "\n");
  open_ = false;
  out_.close();
  if (is_fst(file_)) convert_to_fst(out_.path(), file_);
}

void VcdWriter::take_due(Tick watermark) {
  due_.clear();
  std::size_t kept = 0;
  for (const Change& c : pending_) {
    if (c.time >= watermark) {
      pending_[kept++] = c;
      continue;
    }
    if (c.time < watermark_) late_.add(c.signal, c.time, watermark_);
    due_.push_back(c);
    due_.back().order = static_cast<std::uint32_t>(due_.size());
  }
  pending_.resize(kept);
  const auto order = [this](const Change& c) {  // late changes precede the others of the time at which they are written
    return std::make_tuple(std::max(c.time, watermark_), c.signal, c.time, c.order);
  };
  std::sort(due_.begin(), due_.end(), [&](const Change& a, const Change& b) { return order(a) < order(b); });
  for (Change& c : due_) c.time = std::max(c.time, watermark_);
}

std::vector<std::string> VcdWriter::notes() const {
  std::vector<std::string> lines;
  const auto several = [](const Mended& m) {
    return m.count == 1 ? std::string() : " (the first of " + std::to_string(m.count) + " such changes)";
  };
  if (late_.count != 0)
    lines.push_back("probe '" + signals_[late_.first].name + "' fired for " + std::to_string(late_.time) +
                    " ps after the waveform was written to " + std::to_string(late_.value) +
                    " ps; the change is shown there" + several(late_));
  if (wide_.count != 0)
    lines.push_back("probe '" + signals_[wide_.first].name + "' has the value " + std::to_string(wide_.value) + " at " +
                    std::to_string(wide_.time) + " ps, which does not fit in its " +
                    std::to_string(signals_[wide_.first].width) + " bits; all its bits are shown as 1" + several(wide_));
  return lines;
}

void VcdWriter::write_due() {
  for (std::size_t i = 0; i < due_.size(); ++i) {
    const Change& c = due_[i];
    State& s = signals_[c.signal];
    if (s.width > 64 && another_follows(i)) bytes_.erase(c.value);
    s.value = s.kind == SignalKind::delta ? s.value + c.value : c.value;
    if (s.kind == SignalKind::strobe || !another_follows(i)) write(c.time, c.signal);
  }
}

bool VcdWriter::another_follows(std::size_t i) const {
  return i + 1 < due_.size() && due_[i].time == due_[i + 1].time && due_[i].signal == due_[i + 1].signal;
}

void VcdWriter::write(Tick time, Signal signal) {
  State& s = signals_[signal];
  if (s.width > 64) return write_bytes(time, s);
  const bool wide = s.width != 0 && s.width != 64 && s.value >> s.width != 0;
  if (wide) wide_.add(signal, time, s.value);
  const std::uint64_t value = wide ? (std::uint64_t{1} << s.width) - 1 : s.value;
  const bool changed = s.width > 0 && !(s.known && s.shown == value);
  if (!changed && s.kind != SignalKind::strobe) return;
  write_time(time);
  if (changed) write_value(s, value);
  s.known = s.changed = true;
  if (s.kind != SignalKind::strobe) return;
  out_.append('1');
  out_.append(s.event_code);
  out_.append('\n');
}

void VcdWriter::write_time(Tick time) {
  if (time == written_) return;
  if (written_ == 0) first_written_ = time;
  written_ = time;
  char digits[24];
  digits[0] = '#';
  char* end = std::to_chars(digits + 1, digits + sizeof digits - 1, time).ptr;
  *end++ = '\n';
  out_.append(std::string_view(digits, static_cast<std::size_t>(end - digits)));
}

void VcdWriter::write_value(State& s, std::uint64_t shown) {
  s.shown = shown;
  char text[72];
  char* end = text;
  if (s.kind == SignalKind::real) {
    double value;
    std::memcpy(&value, &shown, sizeof value);
    end += std::snprintf(text, sizeof text - 1, "r%.17g", value);
  } else {
    if (s.width > 1) *end++ = 'b';
    end = std::to_chars(end, text + sizeof text, shown, 2).ptr;
  }
  if (s.width > 1) *end++ = ' ';
  out_.append(std::string_view(text, static_cast<std::size_t>(end - text)));
  out_.append(s.code);
  out_.append('\n');
  if (s.names) write_text(s, shown);
}

void VcdWriter::write_bytes(Tick time, State& s) {
  Bytes bytes = std::move(bytes_.at(s.value));
  bytes_.erase(s.value);
  if (s.bytes.empty()) s.bytes.assign(bytes.size(), 0);
  if (s.bytes == bytes) return;
  s.bytes = std::move(bytes);
  s.changed = true;
  write_time(time);
  std::string text = "b";
  for (unsigned bit = s.width; bit-- > 0;) {
    const bool high = (s.bytes[bit / 8] >> (bit % 8) & 1) != 0;
    if (high || text.size() > 1 || bit == 0) text += high ? '1' : '0';
  }
  out_.append(text + " " + s.code + "\n");
}

void VcdWriter::write_text(const State& s, std::uint64_t shown) {
  std::string text = s.names(shown);
  std::replace(text.begin(), text.end(), ' ', '_');
  out_.append("s" + text + " " + s.text_code + "\n");
}

std::uint64_t VcdWriter::bits_of(double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

}  // namespace tributary
