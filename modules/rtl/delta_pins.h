#pragma once
/// DeltaPins: the signals of a block that is called by a device in a thread: its clock has edges in delta cycles of the
/// call (docs/rtl.md#pins-in-the-time-of-a-call).

#include <memory>
#include <systemc>

#include "modules/rtl/pin_port.h"

namespace tributary {

/// The parent of the block. An adapter calls its clock as that of a block without SystemC, by model(): each eval() writes
/// the inputs, waits in delta cycles until the logic is settled, and reads the outputs. So a call that needs many clocks
/// takes no time of the kernel.
class DeltaPins : public sc_core::sc_module {
 public:
  /// Throws std::invalid_argument as SignalPins does.
  DeltaPins(const sc_core::sc_module_name& name, const PinTable& table, const PinParameters& parameters,
            const MakePinned& make);

  /// Returns the pins as a model, which cannot save its state. This must outlive it.
  std::unique_ptr<RtlModel> model();
  /// Call at the beginning of each request. Returns true for the first one, and for the first one after disconnect(): the
  /// adapter then resets the block. Throws std::logic_error outside of a thread.
  bool connect();
  /// From now on eval() has no effect: the adapter is reset outside of a thread.
  void disconnect() { connected_ = false; }

 private:
  struct Model : RtlModel {
    explicit Model(DeltaPins& of) : pins_of(of) {}
    void eval() override { pins_of.settle(); }
    DeltaPins& pins_of;
  };
  static constexpr unsigned most_deltas = 16;  // from inputs to outputs

  void settle();

  SignalPins signals_;
  std::unique_ptr<sc_core::sc_module> block_;
  bool connected_ = false;
};

}  // namespace tributary
