#pragma once
/// PinPort: the signals of a block with pins, and the process of its clock (docs/rtl.md#pins-in-kernel-time).

#include <functional>
#include <memory>
#include <string>
#include <systemc>

#include "modules/rtl/core/pin_unit.h"
#include "modules/rtl/signal_pins.h"

namespace tributary {

/// Makes the module of a block and binds its ports.
using MakePinned = std::function<std::unique_ptr<sc_core::sc_module>(SignalPins& pins)>;

/// The parent of the block. The clock ticks while requests are queued or in flight, while a reduction unit is not ready, and
/// 64 clocks longer. It is low for half a period before it rises, rounded up.
///
/// A device may call at the time of an edge. So the process sets the inputs at that time, lets the logic settle, samples the
/// outputs and raises the clock, each in a delta cycle of its own. A request for an edge that has risen throws
/// std::logic_error with the name.
class PinPort : public sc_core::sc_module {
 public:
  /// Throws std::invalid_argument if the module lacks a pin, or has another width.
  PinPort(const sc_core::sc_module_name& name, const PinTable& table, const PinParameters& parameters, Tick period,
          const MakePinned& make);

  const PinUnit& unit() const { return unit_; }
  /// Queues requests and answers at the unit. Call schedule() afterwards.
  PinUnit& unit() { return unit_; }
  /// Receives an error of the block; its clock stops. Returns false if the run ends by the error, as it does without this.
  std::function<bool(const std::string& why)> on_error;
  /// Called when `clk` falls, after the answers of the next edge are foreseen and before its inputs are set.
  std::function<void()> on_fall;
  /// Called before the inputs of an edge are set, at its time.
  std::function<void()> before_edge;
  /// Plans the next edge.
  void schedule();
  /// Forgets all requests, and resets the block.
  void restart();

 private:
  /// The pins in memory: their logic is in the kernel.
  struct Model : RtlModel {
    void eval() override {}
  };
  enum class Phase { waits, settles, high, stopped };
  static constexpr unsigned most_deltas = 16;  // from inputs to outputs without a clock
  static constexpr unsigned quiet_deltas = 4;  // from a beat of another block to a request that it causes

  static std::unique_ptr<Model> model_of(const SignalPins& pins);
  void step();
  void advance();
  void settle();
  void raise();
  void lower();

  SignalPins signals_;
  std::unique_ptr<sc_core::sc_module> block_;
  std::unique_ptr<Model> model_;
  PinUnit unit_;
  PinBytes clk_;
  Tick period_;
  sc_core::sc_event event_;
  Phase phase_ = Phase::waits;
  Tick planned_ = never;  // time for which the event is notified
  unsigned deltas_ = 0;
  unsigned quiet_ = 0;  // deltas without a change since the inputs are settled
};

}  // namespace tributary
