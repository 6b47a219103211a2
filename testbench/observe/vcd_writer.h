#pragma once
/// VcdWriter: a change-driven writer of value change dumps.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/base/units.h"
#include "testbench/observe/output_file.h"

namespace tributary {

/// Writes value change dumps (IEEE 1364, clause 18) with exact picosecond timestamps.
///
/// Changes may arrive in any order and ahead of time, as devices report them within a window. They are held until a
/// watermark passes and then written sorted by (time, signal). Calls for one signal keep their order, so the file does
/// not depend on the order in which devices run. Cost: one push_back per change, then one sort per watermark.
///
/// A level (and the sum of a delta) is a wire, 0 until its first change. Of several changes at one time only the final
/// value is written, and nothing if it equals the previous value. A strobe is an event plus a wire `<name>_value` that
/// holds the last number (x before the first); each firing is written, even if several occur at one time.
///
/// No change is refused. A change before the watermark is written at the watermark, and a value that does not fit its
/// width is written as all ones; notes() names both.
class VcdWriter {
 public:
  using Signal = std::uint32_t;
  /// Returns the name of a value of an enumeration.
  using Names = std::function<std::string(std::uint64_t)>;

  /// Creates the file. A name that ends in `.fst` gives a waveform of that format, which finish() makes from a dump
  /// FILE.vcd. Throws OutputError.
  explicit VcdWriter(const std::string& file);

  /// Declares a signal; to be called before `start`. `width`: 1 to 64 bits, for a level more; 0 for a strobe without a
  /// number; 64 for a real. A level with `names` has a second variable `<name>_name` of type `string`, which GTKWave and
  /// Surfer show as text; blanks in names are written as `_`. `names` is called until finish().
  Signal add(const std::string& name, SignalKind kind, unsigned width, Names names = {});
  /// Writes the header and the initial values.
  void start();

  void change(Signal signal, Tick time, std::uint64_t value) { pending_.push_back({time, value, signal, 0}); }
  /// A change of a level of more than 64 bits: (width + 7) / 8 bytes, little-endian.
  void change_bytes(Signal signal, Tick time, const std::uint8_t* bytes);
  /// Writes all changes before `watermark`. Throws OutputError if the disk is full.
  void advance(Tick watermark);
  /// Writes the remaining changes and closes the file. The file ends with the last change, or at `end` if that is
  /// later. Later changes are lost.
  void finish(Tick end = 0);

  /// Timestamps of the first and last change in the file; 0 without changes.
  Tick first_written() const { return first_written_; }
  Tick written() const { return written_; }
  /// True if the signal changes, or fires, at least once in the file.
  bool changed(Signal s) const { return signals_[s].changed; }
  /// Returns a line each about late changes and about values that did not fit; empty in a correct run.
  std::vector<std::string> notes() const;
  /// Encodes a real for change().
  static std::uint64_t bits_of(double value);
  static std::string value_name(const std::string& strobe) { return strobe + "_value"; }
  static std::string text_name(const std::string& level) { return level + "_name"; }

 private:
  using Bytes = std::vector<std::uint8_t>;
  struct Change {
    Tick time;
    std::uint64_t value;  ///< more than 64 bits: key in bytes_
    Signal signal;
    std::uint32_t order;  ///< call order among changes that are written together
  };
  /// Changes that are not written as they were reported.
  struct Mended {
    std::uint64_t count = 0;
    Signal first = 0;
    Tick time = 0;            ///< of the first
    std::uint64_t value = 0;  ///< first value that did not fit, or the watermark
    void add(Signal signal, Tick when, std::uint64_t number) {
      if (count++ == 0) first = signal, time = when, value = number;
    }
  };
  struct State {
    std::string name;
    SignalKind kind;
    unsigned width;
    bool known;              ///< the file has a value, or a firing of a strobe
    bool changed;            ///< since the beginning of the file
    std::uint64_t value;     ///< current value
    std::uint64_t shown;     ///< value in the file
    std::string code;        ///< identifier code of the wire
    std::string event_code;  ///< identifier code of the event
    Names names;
    std::string text_code;  ///< identifier code of the string
    Bytes bytes = {};       ///< more than 64 bits: value in the file; `value` is the key of a pending one
  };

  void take_due(Tick watermark);
  void write_due();
  void write_time(Tick time);
  bool another_follows(std::size_t i) const;
  void write(Tick time, Signal signal);
  void write_value(State& s, std::uint64_t shown);
  void write_bytes(Tick time, State& s);
  void write_text(const State& s, std::uint64_t shown);

  std::string file_;
  OutputFile out_;
  std::vector<State> signals_;
  std::vector<Change> pending_;  ///< in call order
  std::vector<Change> due_;
  std::map<std::uint64_t, Bytes> bytes_;  ///< pending values of more than 64 bits
  std::uint64_t next_bytes_ = 0;
  std::size_t codes_ = 0;
  Tick watermark_ = 0;  ///< everything before it is written
  Tick written_ = 0;    ///< last timestamp in the file
  Tick first_written_ = 0;
  bool open_ = true;
  Mended late_, wide_;
};

}  // namespace tributary
