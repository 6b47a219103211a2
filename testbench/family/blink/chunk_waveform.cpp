/// The trace of a chunk as a value change dump with a save file for GTKWave.

#include <algorithm>
#include <map>
#include <utility>

#include "testbench/family/blink/chunk_trace.h"
#include "testbench/observe/gtkwave_format.h"
#include "testbench/observe/vcd_writer.h"
#include "testbench/observe/wave_names.h"

namespace tributary {
namespace {

using Kind = ChunkMoment::Kind;
using Signal = VcdWriter::Signal;

const WaveNames::Colours& colours() {
  static const WaveNames::Colours all{{"copies", "?DarkGreen?"}, {"adds", "?DarkOrange?"}, {"arrives", "?RoyalBlue?"},
                                      {"waits", "?DimGray?"},    {"wants links", "?Red?"}, {"records", "?Purple?"}};
  return all;
}

const char* state_of(Kind kind) {
  static const char* const names[] = {"arrives", "waits", "adds", "wants links", "copies", "records"};
  return names[static_cast<unsigned>(kind)];
}

/// The signals of a stream, or of the memory of a GPU. Memory also has a row for its value.
struct Place {
  std::string label;
  unsigned gpu = 0;
  bool memory = false;
  Signal state = 0, value = 0;
};

class ChunkWaves {
 public:
  ChunkWaves(const std::string& file, const std::vector<ChunkMoment>& moments) : file_(file), writer_(file) {
    for (const ChunkMoment& m : moments) add(m);
    writer_.start();
    for (const ChunkMoment& m : moments) show(m), end_ = std::max(end_, m.end);
    writer_.finish(2 * end_);
    names_.write();
  }

  void save(const std::string& title, const std::vector<ChunkMoment>& moments) const {
    GtkwaveFile out(file_ + ".gtkw", file_);
    const Tick begin = moments.front().time, margin = (end_ - begin) / 20 + 1;
    out.view(begin - std::min(begin, margin), end_ + margin, begin, markers_of(moments));
    out.comment(title);
    for (const unsigned gpu : gpus_) {
      out.open_group("gpu" + std::to_string(gpu));
      for (const std::string& name : order_) {
        const Place& p = places_.at(name);
        if (p.gpu != gpu) continue;
        out.wire(name + ".state", p.label, WaveNames::width, WaveFormat::names, names_.file());
        if (p.memory) out.wire(name + ".value", "first element", 64, WaveFormat::real);
      }
      out.close_group("gpu" + std::to_string(gpu));
    }
    out.close();
  }

 private:
  /// Returns the memory that holds an arrived chunk or the sum of a kernel.
  static std::string memory_of(const ChunkMoment& m) { return "gpu" + std::to_string(m.gpu) + ".memory"; }
  static std::string name_of(const ChunkMoment& m) {
    if (m.kind == Kind::arrived) return memory_of(m);
    return "gpu" + std::to_string(m.gpu) + ".stream" + std::to_string(m.stream);
  }
  void add(const ChunkMoment& m) {
    if (std::find(gpus_.begin(), gpus_.end(), m.gpu) == gpus_.end()) gpus_.push_back(m.gpu);
    add_place(name_of(m), m.kind == Kind::arrived, m);
    if (m.kind == Kind::adds) add_place(memory_of(m), true, m);
  }
  void add_place(const std::string& name, bool memory, const ChunkMoment& m) {
    if (places_.count(name) != 0) return;
    Place p{memory ? "memory" : "stream " + std::to_string(m.stream), m.gpu, memory};
    p.state = writer_.add(name + ".state", SignalKind::level, WaveNames::width,
                          [this](std::uint64_t number) { return names_.name_of(number); });
    if (memory) p.value = writer_.add(name + ".value", SignalKind::real, 64);
    places_.emplace(name, p);
    order_.push_back(name);
  }
  void show(const ChunkMoment& m) {
    const Place& p = places_.at(name_of(m));
    writer_.change(p.state, m.time, names_.number_of(state_of(m.kind)));
    writer_.change(p.state, m.end, 0);
    if (!m.first) return;
    writer_.change(places_.at(memory_of(m)).value, m.end, VcdWriter::bits_of(*m.first));
  }

  std::string file_;
  VcdWriter writer_;
  WaveNames names_{file_ + ".gtkw.names", {"-"}, colours()};
  std::map<std::string, Place> places_;
  std::vector<std::string> order_;  ///< names of places_ in the order of their first actions
  std::vector<unsigned> gpus_;      ///< in the order of their first actions
  Tick end_ = 0;
};

}  // namespace

void ChunkTrace::write_waveform(const std::string& file) const {
  const std::vector<ChunkMoment> all = moments();
  const ChunkWaves waves(file, all);
  if (!all.empty()) waves.save("life of chunk " + std::to_string(chunk()), all);
}

}  // namespace tributary
