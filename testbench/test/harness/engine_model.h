#pragma once
/// EngineModel: a copy engine in C++ with the pins of one in RTL.

#include <array>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "modules/rtl/core/rtl_model.h"
#include "modules/streams/core/burst_cutter.h"
#include "modules/streams/core/copy_engine_pins.h"

namespace tributary {

/// Requests data `fetch` clocks after the descriptor, and sends as soon as there is room.
class EngineModel : public RtlModel {
 public:
  static constexpr unsigned lane_count = 2;
  struct Faults {
    bool third = false;    ///< sends without regard to room
    bool address = false;  ///< requests another address
    bool ends = false;     ///< ends another copy
    bool turns = false;    ///< room of a lane holds up the other one, also bursts that have been sent
    bool saves = true;
  };
  EngineModel(unsigned fetch, const Faults& faults) : fetch_(fetch), faults_(faults) {
    for (const FlatPin& pin : flat_pins(copy_engine_pins())) {
      auto& bytes = storage_[pin.name];
      bytes.resize(storage_bytes(width_of(copy_engine_pins(), pin.bits, pin.times, {{"LANES", lane_count}})));
      pins.add(pin.name.c_str(), bytes.data(), bytes.size());
    }
  }
  void eval() override {
    show();
    const bool clk = byte("clk") != 0;
    if (clk && !clk_) rise();
    clk_ = clk;
    show();
  }
  bool save(std::vector<std::uint8_t>& state) const override {
    state.resize(sizeof state_);
    std::memcpy(state.data(), &state_, sizeof state_);
    return faults_.saves;
  }
  void restore(const std::vector<std::uint8_t>& state) override { std::memcpy(&state_, state.data(), sizeof state_); }

 private:
  struct State {
    CopyCommand command;
    unsigned waits = 0, lanes_left = 0;
    bool busy = false, requests = false, sends = false;
    std::array<BurstCutter, lane_count> lanes;
    std::array<unsigned, lane_count> held{};
  };
  std::uint8_t& byte(const char* pin) { return storage_[pin][0]; }
  template <class Number>
  Number number(const char* pin) {
    Number n;
    std::memcpy(&n, storage_[pin].data(), sizeof n);
    return n;
  }
  template <class Number>
  void set(const char* pin, Number n, unsigned at = 0) {
    std::memcpy(storage_[pin].data() + at * sizeof n, &n, sizeof n);
  }
  bool leaves(unsigned l) {
    if (faults_.turns && byte("room_valid") != 0) return false;
    return state_.sends && !state_.lanes[l].empty() && (faults_.third || state_.held[l] < 2);
  }
  unsigned leaving() { return byte("left_valid") != 0 ? (byte("left_lanes") & 1u) + (byte("left_lanes") >> 1) : 0; }
  bool ends() { return state_.busy && state_.sends && state_.lanes_left == leaving(); }
  void show() {
    byte("s_ready") = !state_.busy || ends();
    byte("rd_valid") = state_.requests;
    set("rd_address", state_.command.source + (faults_.address ? 1 : 0));
    set("rd_bytes", state_.command.bytes);
    std::uint8_t lanes = 0, last = 0;
    for (unsigned l = 0; l < lane_count; ++l) {
      if (!leaves(l)) continue;
      BurstCutter cutter = state_.lanes[l];
      const Burst b = cutter.next();
      lanes = static_cast<std::uint8_t>(lanes | 1u << l);
      last = static_cast<std::uint8_t>(last | unsigned{b.last} << l);
      set("m_flits", b.flits, l), set("m_bytes", b.bytes, l), set("m_offset", b.offset, l);
    }
    byte("m_valid") = lanes != 0, byte("m_lanes") = lanes, byte("m_end") = last;
    set("m_copy", state_.command.copy);
    byte("done_valid") = ends();
    set("done_copy", state_.command.copy + (faults_.ends ? 1 : 0));
  }
  void rise() {
    const bool ended = ends();
    if (byte("rst_n") == 0) {
      state_ = {};
      return;
    }
    for (unsigned l = 0; l < lane_count; ++l)
      if (leaves(l)) state_.lanes[l].next(), ++state_.held[l];
    if (byte("room_valid") != 0)
      for (unsigned l = 0; l < lane_count; ++l)
        if ((byte("room_lanes") >> l & 1) != 0 && state_.held[l] != 0) --state_.held[l];
    state_.lanes_left -= leaving();
    if (ended) state_.busy = state_.sends = false;
    if (byte("mem_valid") != 0) state_.sends = true;
    if (state_.requests) state_.requests = false;
    if (state_.waits != 0 && --state_.waits == 0) state_.requests = true;
    if (byte("s_valid") != 0 && (!state_.busy || ended)) accept();
  }
  void accept() {
    CopyCommand& c = state_.command;
    c.copy = number<std::uint32_t>("s_copy");
    c.source = number<std::uint64_t>("s_source"), c.bytes = number<std::uint64_t>("s_bytes");
    c.lanes = byte("s_lanes");
    c.framing = {number<std::uint16_t>("s_payload"), number<std::uint16_t>("s_overhead"), number<std::uint16_t>("s_burst")};
    state_.busy = true, state_.waits = fetch_;
    state_.lanes_left = c.lanes;
    for (unsigned l = 0; l < lane_count; ++l) {
      state_.held[l] = 0;
      state_.lanes[l] = l < c.lanes ? BurstCutter(c, l) : BurstCutter();
    }
  }

  unsigned fetch_;
  Faults faults_;
  State state_;
  std::map<std::string, std::vector<std::uint8_t>> storage_;
  bool clk_ = false;
};

}  // namespace tributary
