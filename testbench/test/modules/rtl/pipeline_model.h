#pragma once
/// PipelineModel: a combinator of registers in C++, with the pins of the table, and with faults on request.

#include <cstring>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/element.h"
#include "modules/netreduce/core/combinator_pins.h"
#include "modules/rtl/core/beat_channel.h"

namespace tributary::test_rtl {

/// Sums of i32 in the order of ranks leave `depth` clocks after their operands. Sets `s_ready` to 0 for `stall` clocks after
/// each last beat.
class PipelineModel : public RtlModel {
 public:
  struct Options {
    unsigned ranks = 2, depth = 3, stall = 0;
    bool saves = true;
    bool wrong_id = false, wrong_last = false, silent = false, doubled = false, valid_in_reset = false;
    bool stalls_again = false;  ///< the stall does not end
    bool traces = false;
    bool waits = false;        ///< keeps a beat that `m_ready` does not accept; otherwise `m_ready` is ignored
    bool hazard = false;       ///< a beat that enters changes the beat that leaves
    bool overtakes = false;    ///< a beat that enters changes places with an earlier one
    std::string without = "";  ///< pin that is missing
  };
  explicit PipelineModel(const Options& options) : options_(options), stages_(options.depth) {
    PinParameters parameters{{"RANKS", options.ranks}};
    for (const FlatPin& pin : flat_pins(combinator_pins())) {
      std::vector<std::uint8_t>& bytes = storage_[pin.name];
      bytes.resize(storage_bytes(width_of(combinator_pins(), pin.bits, pin.times, parameters)));
    }
    for (auto& [name, bytes] : storage_)
      if (name != options.without) pins.add(name.c_str(), bytes.data(), bytes.size());
  }

  unsigned edges = 0;
  /// Pins as the trace shows them, by time.
  struct Traced {
    bool clk, s_valid, m_valid;
    unsigned s_id, m_id;
  };
  std::vector<std::pair<std::uint64_t, Traced>> trace_log;

  bool traces() const override { return options_.traces; }
  void trace(std::uint64_t time) override {
    trace_log.push_back({time, {at("clk") != 0, at("s_valid") != 0, at("m_valid") != 0, at("s_id"), at("m_id")}});
  }
  void eval() override {
    at("s_ready") = stalled_ == 0 && !held();
    show();
    if (at("clk") != 0 && !clk_) rise();
    clk_ = at("clk") != 0;
    show();
  }
  bool save(std::vector<std::uint8_t>& state) const override {
    if (!options_.saves) return false;
    state.clear();
    state.push_back(static_cast<std::uint8_t>(stalled_));
    state.push_back(clk_);
    for (const Stage& s : stages_) {
      const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&s);
      state.insert(state.end(), bytes, bytes + sizeof s);
    }
    return true;
  }
  void restore(const std::vector<std::uint8_t>& state) override {
    stalled_ = state[0];
    clk_ = state[1] != 0;
    for (std::size_t i = 0; i < stages_.size(); ++i)
      std::memcpy(&stages_[i], state.data() + 2 + i * sizeof(Stage), sizeof(Stage));
  }

 private:
  struct Stage {
    bool valid = false, last = false;
    std::uint16_t id = 0;
    std::uint8_t data[64] = {};
  };
  std::uint8_t& at(const std::string& name) { return storage_.at(name)[0]; }
  void show() {
    const Stage& out = stages_.back();
    at("m_valid") = (out.valid && !options_.silent) || options_.valid_in_reset;
    at("m_last") = options_.wrong_last ? 0 : out.last;
    std::memcpy(storage_.at("m_id").data(), &out.id, 2);
    std::memcpy(storage_.at("m_data").data(), out.data, 64);
  }
  bool held() { return options_.waits && stages_.back().valid && at("m_ready") == 0; }
  void rise() {
    ++edges;
    if (held() && at("rst_n") != 0) return;
    const Stage leaving = stages_.back();
    for (std::size_t i = stages_.size() - 1; i > 0; --i) stages_[i] = stages_[i - 1];
    if (at("rst_n") == 0) {
      for (Stage& s : stages_) s.valid = false;
      return;
    }
    Stage in;
    in.valid = at("s_valid") != 0 && stalled_ == 0;
    if (stalled_ != 0 && !options_.stalls_again) --stalled_;
    if (in.valid) {
      in.last = at("s_last") != 0;
      std::memcpy(&in.id, storage_.at("s_id").data(), 2);
      if (options_.wrong_id) ++in.id;
      const std::uint8_t* const data = storage_.at("s_data").data();
      std::memcpy(in.data, data, 64);
      for (unsigned r = 1; r < options_.ranks; ++r) apply(ReduceOp::sum, ElementType::i32, in.data, data + 64 * r, 64);
      if (in.last) stalled_ = options_.stall;
      if (options_.hazard) stages_.back().data[5] ^= 1;
    }
    for (std::size_t i = 1; i < stages_.size(); ++i)
      if (options_.overtakes && in.valid && stages_[i].valid) std::swap(in, stages_[i]);
    stages_[0] = in;
    if (options_.doubled && leaving.valid && leaving.last && !stages_.back().valid)
      stages_.back() = leaving, doubled_ = true;
  }

  Options options_;
  std::map<std::string, std::vector<std::uint8_t>> storage_;
  std::vector<Stage> stages_;
  unsigned stalled_ = 0;
  bool clk_ = false, doubled_ = false;
};

}  // namespace tributary::test_rtl
