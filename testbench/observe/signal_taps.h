#pragma once
/// SignalTaps: connects probes to the signals of a waveform.

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "modules/base/wide_probe.h"
#include "modules/packet/packet_view.h"
#include "modules/packet/reduction_event.h"
#include "modules/packet/schedule_event.h"
#include "testbench/observe/traced_signal.h"
#include "testbench/observe/vcd_writer.h"

namespace tributary {

/// Attaches the signals to their probes and converts firings into changes. Probes without a signal are not observed.
/// Must outlive the last firing.
class SignalTaps {
 public:
  /// Declares the signals at `writer`, in order.
  SignalTaps(const ProbeDirectory& probes, const std::vector<TracedSignal>& signals, VcdWriter& writer);
  SignalTaps(const SignalTaps&) = delete;
  SignalTaps& operator=(const SignalTaps&) = delete;

  VcdWriter::Signal signal(std::size_t i) const { return signals_[i]; }

 private:
  static constexpr VcdWriter::Signal none = ~VcdWriter::Signal{0};
  struct LevelTap {
    VcdWriter* writer;
    VcdWriter::Signal signal;
  };
  struct PacketTap {
    VcdWriter* writer;
    VcdWriter::Signal block = none, opcode = none, trail = none, source = none;
  };
  struct Row {
    std::array<VcdWriter::Signal, 8> fields;  // from entry_valid on
    std::uint64_t contributors = 0, contributors_64 = 0;
  };
  struct ReductionTap {
    VcdWriter* writer;
    std::vector<Row> rows;
  };
  struct ScheduleTap {
    VcdWriter* writer;
    std::vector<std::array<VcdWriter::Signal, 11>> rows;  // from row_valid on
  };

  void attach_level(SignalProbe& probe, VcdWriter::Signal signal);
  void attach_wide(WideProbe& probe, VcdWriter::Signal signal);
  PacketTap& packet_tap(PacketProbe& probe);
  ReductionTap& reduction_tap(ReductionProbe& probe, unsigned rows);
  ScheduleTap& schedule_tap(ScheduleRowProbe& probe);
  static void change(VcdWriter& writer, VcdWriter::Signal signal, Tick time, std::uint64_t value) {
    if (signal != none) writer.change(signal, time, value);
  }
  static void on_packet(const PacketTap& tap, Tick time, const PacketView& packet);
  static void on_reduction(ReductionTap& tap, Tick time, const ReductionEvent& event);
  static void on_schedule(const ScheduleTap& tap, Tick time, const ScheduleRowEvent& event);

  VcdWriter& writer_;
  std::vector<VcdWriter::Signal> signals_;
  // stable addresses, as the probes keep pointers to them
  std::deque<LevelTap> levels_;
  std::deque<PacketTap> packets_;
  std::deque<ReductionTap> reductions_;
  std::deque<ScheduleTap> schedules_;
};

}  // namespace tributary
