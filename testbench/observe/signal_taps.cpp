#include "testbench/observe/signal_taps.h"

#include <map>

#include "modules/base/element.h"
#include "modules/protocol/nvlink.h"

namespace tributary {
namespace {

VcdWriter::Names names_of(const char* const* names) {
  if (names == nullptr) return {};
  std::uint64_t count = 0;
  while (names[count] != nullptr) ++count;
  return [names, count](std::uint64_t value) { return value < count ? std::string(names[value]) : std::to_string(value); };
}

}  // namespace

SignalTaps::SignalTaps(const ProbeDirectory& probes, const std::vector<TracedSignal>& signals, VcdWriter& writer)
    : writer_(writer) {
  std::map<std::string, PacketTap*> packet_taps;
  std::map<std::string, ReductionTap*> reduction_taps;
  std::map<std::string, ScheduleTap*> schedule_taps;
  for (const TracedSignal& s : signals) {
    const VcdWriter::Signal signal = writer.add(s.name, s.kind, s.width, names_of(s.names));
    signals_.push_back(signal);
    const ProbeDirectory::Entry& e = probes.entries().at(s.probe);
    if (s.field == SignalField::itself) {
      attach_level(*static_cast<SignalProbe*>(e.probe), signal);
    } else if (s.field == SignalField::wide) {
      attach_wide(*static_cast<WideProbe*>(e.probe), signal);
    } else if (s.field <= SignalField::packet_source) {
      PacketTap*& tap = packet_taps[s.probe];
      if (tap == nullptr) tap = &packet_tap(*static_cast<PacketProbe*>(e.probe));
      (s.field == SignalField::packet_block    ? tap->block
       : s.field == SignalField::packet_opcode ? tap->opcode
       : s.field == SignalField::packet_trail  ? tap->trail
                                               : tap->source) = signal;
    } else if (s.field >= SignalField::row_valid) {
      ScheduleTap*& tap = schedule_taps[s.probe];
      if (tap == nullptr) tap = &schedule_tap(*static_cast<ScheduleRowProbe*>(e.probe));
      tap->rows[s.row][static_cast<unsigned>(s.field) - static_cast<unsigned>(SignalField::row_valid)] = signal;
    } else {
      ReductionTap*& tap = reduction_taps[s.probe];
      if (tap == nullptr) tap = &reduction_tap(*static_cast<ReductionProbe*>(e.probe), e.width);
      const auto field = static_cast<unsigned>(s.field) - static_cast<unsigned>(SignalField::entry_valid);
      tap->rows[s.row].fields[field] = signal;
    }
  }
}

void SignalTaps::attach_level(SignalProbe& probe, VcdWriter::Signal signal) {
  LevelTap& tap = levels_.emplace_back(LevelTap{&writer_, signal});
  probe.attach(&tap, [](void* observer, Tick time, std::uint64_t value) {
    const LevelTap& t = *static_cast<LevelTap*>(observer);
    t.writer->change(t.signal, time, value);
  });
}

void SignalTaps::attach_wide(WideProbe& probe, VcdWriter::Signal signal) {
  LevelTap& tap = levels_.emplace_back(LevelTap{&writer_, signal});
  probe.attach(&tap, [](void* observer, Tick time, const std::uint8_t* bytes) {
    const LevelTap& t = *static_cast<LevelTap*>(observer);
    t.writer->change_bytes(t.signal, time, bytes);
  });
}

SignalTaps::PacketTap& SignalTaps::packet_tap(PacketProbe& probe) {
  PacketTap& tap = packets_.emplace_back(PacketTap{&writer_});
  probe.attach(&tap, [](void* observer, Tick time, const PacketView& packet) {
    on_packet(*static_cast<PacketTap*>(observer), time, packet);
  });
  return tap;
}

SignalTaps::ReductionTap& SignalTaps::reduction_tap(ReductionProbe& probe, unsigned rows) {
  ReductionTap& tap = reductions_.emplace_back(ReductionTap{&writer_, {}});
  Row row;
  row.fields.fill(none);
  tap.rows.assign(rows, row);
  probe.attach(&tap, [](void* observer, Tick time, const ReductionEvent& event) {
    on_reduction(*static_cast<ReductionTap*>(observer), time, event);
  });
  return tap;
}

SignalTaps::ScheduleTap& SignalTaps::schedule_tap(ScheduleRowProbe& probe) {
  ScheduleTap& tap = schedules_.emplace_back(ScheduleTap{&writer_, {}});
  tap.rows.resize(traced_rows);
  for (auto& row : tap.rows) row.fill(none);
  probe.attach(&tap, [](void* observer, Tick time, const ScheduleRowEvent& event) {
    on_schedule(*static_cast<ScheduleTap*>(observer), time, event);
  });
  return tap;
}

void SignalTaps::on_packet(const PacketTap& tap, Tick time, const PacketView& h) {
  change(*tap.writer, tap.block, time, h.address / block_bytes);
  change(*tap.writer, tap.opcode, time, h.opcode);
  change(*tap.writer, tap.trail, time, h.slot);
  change(*tap.writer, tap.source, time, h.source);
}

void SignalTaps::on_reduction(ReductionTap& tap, Tick time, const ReductionEvent& event) {
  using Kind = ReductionEvent::Kind;
  Row& row = tap.rows.at(event.entry);
  const auto show = [&](SignalField field, std::uint64_t value) {
    const auto f = static_cast<unsigned>(field) - static_cast<unsigned>(SignalField::entry_valid);
    change(*tap.writer, row.fields[f], time, value);
  };
  show(SignalField::entry_valid, event.kind != Kind::freed);
  show(SignalField::entry_tag, event.block);
  show(SignalField::entry_count, event.count);
  if (event.value != nullptr) show(SignalField::entry_value, VcdWriter::bits_of(first_element(event.type, event.value)));
  if (event.operand != nullptr)
    show(SignalField::entry_operand, VcdWriter::bits_of(first_element(event.type, event.operand)));
  if (event.kind == Kind::allocated) row.contributors = row.contributors_64 = 0;
  if (event.source != ReductionEvent::no_source) {
    show(SignalField::entry_from, event.source);
    if (event.operands == 1 && event.source < 64) row.contributors |= std::uint64_t{1} << event.source;
    if (event.operands == 1 && event.source >= 64 && event.source < 128)
      row.contributors_64 |= std::uint64_t{1} << (event.source - 64);
  }
  show(SignalField::entry_contributors, row.contributors);
  show(SignalField::entry_contributors_64, row.contributors_64);
}

void SignalTaps::on_schedule(const ScheduleTap& tap, Tick time, const ScheduleRowEvent& e) {
  if (e.row >= tap.rows.size()) return;
  const std::uint64_t values[] = {e.kind != ScheduleRowEvent::Kind::issued,
                                  e.opcode,
                                  e.tree,
                                  e.step,
                                  e.parent,
                                  e.children[0],
                                  e.children[1],
                                  e.children[2],
                                  e.children[3],
                                  e.waits,
                                  e.ready};
  for (std::size_t field = 0; field < tap.rows[e.row].size(); ++field)
    change(*tap.writer, tap.rows[e.row][field], time, values[field]);
}

}  // namespace tributary
