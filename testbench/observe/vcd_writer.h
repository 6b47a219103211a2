#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/base/units.h"
#include "testbench/observe/output_file.h"

namespace tributary {

/// A change-driven writer of value change dumps (IEEE 1364, clause 18) with exact picosecond stamps.
///
/// Changes may come in any order and ahead of time, as devices inside a window report them: they are held back until a
/// watermark passes and then written sorted by (time, signal). Calls for one signal keep their order, so the file does not
/// depend on the order in which devices run. Cost: one push_back per change, then a sort per watermark.
///
/// A level (and the sum of a delta) is a wire, 0 until its first change; of several changes at one time only the outcome is
/// written, and nothing when the value stays. A strobe is an event plus a wire `<name>_value` that holds the last number
/// (x before the first); each firing is written, also several at one time.
class VcdWriter {
 public:
  using Signal = std::uint32_t;

  /// Creates the file, or throws OutputError.
  explicit VcdWriter(const std::string& file);

  /// `width` is 1 to 64 bits; 0 for a strobe without a number; a real has 64. Signals are declared before `start`.
  Signal add(const std::string& name, SignalKind kind, unsigned width);
  /// Writes the header and the initial values.
  void start();

  void change(Signal signal, Tick time, std::uint64_t value) { pending_.push_back({time, value, signal, 0}); }
  /// Writes everything stamped before `watermark`; nothing may be stamped before it from now on. Throws std::logic_error
  /// that names the signal when a change comes too late or does not fit in its width, OutputError when the disk is full.
  void advance(Tick watermark);
  /// Writes the rest and closes the file, which ends with the last change, or at `end` if that is later. Later changes are
  /// lost.
  void finish(Tick end = 0);

  /// The stamps of the first and of the last change in the file; 0 without any.
  Tick first_written() const { return first_written_; }
  Tick written() const { return written_; }
  /// Whether the file shows the signal change, or fire, at least once.
  bool changed(Signal s) const { return signals_[s].changed; }
  /// What change() takes for a real.
  static std::uint64_t bits_of(double value);
  static std::string value_name(const std::string& strobe) { return strobe + "_value"; }

 private:
  struct Change {
    Tick time;
    std::uint64_t value;
    Signal signal;
    std::uint32_t order;  ///< of the call, among those written together
  };
  struct State {
    std::string name;
    SignalKind kind;
    unsigned width;
    bool known;              ///< the file shows a value, or the firing of a strobe
    bool changed;            ///< since the file began
    std::uint64_t value;     ///< now
    std::uint64_t shown;     ///< in the file
    std::string code;        ///< of the wire
    std::string event_code;  ///< of the event
  };

  void take_due(Tick watermark);
  void write_due();
  void write_time(Tick time);
  bool another_follows(std::size_t i) const;
  void write(Tick time, State& s);
  void write_value(State& s);
  void check_time(const Change& c) const;
  static void check_width(const State& s);

  OutputFile out_;
  std::vector<State> signals_;
  std::vector<Change> pending_;  ///< in call order
  std::vector<Change> due_;
  std::size_t codes_ = 0;
  Tick watermark_ = 0;  ///< everything before it is written
  Tick written_ = 0;    ///< last stamp in the file
  Tick first_written_ = 0;
  bool open_ = true;
};

}  // namespace tributary
