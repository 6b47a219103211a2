#pragma once
/// ControllerMemory: the memory of a device whose times are those of a memory controller of the approximately timed style.

#include <string>
#include <vector>

#include "modules/base/sysc/at_target.h"
#include "modules/base/sysc/kernel_time.h"
#include "modules/base/sysc/memory_module.h"

namespace tributary {

/// Holds the data, with direct access, and asks the controller for the time of each request of a device. The controller may
/// have nb_transport_fw alone, answer after the call, and out of order; it needs no storage. The device is in kernel time.
/// Bind `out()` to the controller, as in the constructor of a class derived from this one.
class ControllerMemory : public DirectMemory, public KernelTimePart {
 public:
  /// `burst`: most bytes of a transaction of the controller; 0: a request is never split. `index`: as for DirectMemory.
  explicit ControllerMemory(const sc_core::sc_module_name& name, std::uint32_t burst = 64, unsigned index = 0)
      : DirectMemory(name, Time{0}, index), controller_("controller", burst) {
    to_controller_.bind(backward_);
    to_controller_.bind(controller_.in);
  }
  tlm::tlm_initiator_socket<32>& out() { return controller_.out; }

  std::vector<std::string> waiting() const override {
    const std::size_t requests = controller_.unanswered();
    if (requests == 0) return {};
    return {std::to_string(requests) + " requests wait for the controller"};
  }
  void reset() override { controller_.forget(); }

 protected:
  void b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) override {
    if (access.is_read() && is_timing_only(access)) return to_controller_->b_transport(access, delay);
    DirectMemory::b_transport(access, delay);
  }

 private:
  struct Backward : tlm::tlm_bw_transport_if<> {
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
      return tlm::TLM_COMPLETED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  };

  Backward backward_;
  tlm::tlm_initiator_socket<32> to_controller_{"to_controller"};
  AtTarget controller_;
};

}  // namespace tributary
