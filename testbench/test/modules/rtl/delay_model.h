#pragma once
/// DelayModel: a block in C++ that answers each request after a number of clocks, with the pins of any table.

#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "modules/rtl/core/beat_channel.h"
#include "modules/rtl/core/rtl_block.h"

namespace tributary::test_rtl {

/// Has one request channel `s` and one answer channel. Accepts a request each `interval` clocks. Its registers are not
/// saved.
class DelayModel : public RtlModel {
 public:
  using Bytes = std::vector<std::uint8_t>;
  using Pins = std::map<std::string, Bytes>;
  struct Options {
    unsigned latency = 1, interval = 1;
    std::string answers = "a";                       ///< name of the channel
    std::function<bool(const Pins&, Pins&)> answer;  ///< sets the answer's pins; false: the request has no answer
  };
  DelayModel(const PinTable& table, const PinParameters& parameters, const Options& options)
      : options_(options), stages_(options.latency) {
    for (const FlatPin& pin : flat_pins(table)) {
      Bytes& bytes = storage_[pin.name];
      bytes.resize(storage_bytes(width_of(table, pin.bits, pin.times, parameters)));
      pins.add(pin.name.c_str(), bytes.data(), bytes.size());
    }
  }
  void eval() override {
    storage_["s_ready"][0] = busy_ == 0;
    show();
    const bool clk = storage_["clk"][0] != 0;
    if (clk && !clk_) rise();
    clk_ = clk;
    show();
  }

  static std::uint64_t number(const Pins& pins, const char* name) {
    std::uint64_t value = 0;
    const Bytes& bytes = pins.at(name);
    std::memcpy(&value, bytes.data(), std::min<std::size_t>(8, bytes.size()));
    return value;
  }
  static void set(Pins& pins, const char* name, std::uint64_t value) {
    Bytes& bytes = pins[name];
    bytes.resize(8);
    std::memcpy(bytes.data(), &value, 8);
  }

 private:
  void show() {
    storage_[options_.answers + "_valid"][0] = !stages_.back().empty();
    for (const auto& [name, bytes] : stages_.back()) {
      Bytes& pin = storage_[name];
      std::copy_n(bytes.begin(), std::min(pin.size(), bytes.size()), pin.begin());  // a pin may have no value
    }
  }
  void rise() {
    for (std::size_t i = stages_.size() - 1; i > 0; --i) stages_[i] = std::move(stages_[i - 1]);
    stages_[0].clear();
    if (storage_["rst_n"][0] == 0) {
      for (Pins& stage : stages_) stage.clear();
      busy_ = 0;
      return;
    }
    if (busy_ != 0) {
      --busy_;
      return;
    }
    if (storage_["s_valid"][0] == 0) return;
    busy_ = options_.interval - 1;
    Pins out;
    if (options_.answer(storage_, out)) stages_[0] = std::move(out);
  }

  Options options_;
  Pins storage_;
  std::vector<Pins> stages_;
  unsigned busy_ = 0;
  bool clk_ = false;
};

inline RtlBlock delay_block(const PinTable& table, const PinParameters& parameters, const DelayModel::Options& options) {
  RtlBlock block;
  block.parameters = parameters;
  block.make = [&table, parameters, options] { return std::make_unique<DelayModel>(table, parameters, options); };
  return block;
}

}  // namespace tributary::test_rtl
