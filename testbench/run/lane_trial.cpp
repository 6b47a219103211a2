#include "testbench/run/lane_trial.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <systemc>

#include "testbench/run/completion.h"
#include "testbench/run/driver.h"
#include "testbench/run/family.h"
#include "testbench/run/trial_process.h"

namespace tributary {
namespace {

/// Throws std::runtime_error if a module below `object` has a process.
void refuse_processes(const sc_core::sc_object& object) {
  for (const sc_core::sc_object* child : object.get_child_objects()) {
    if (dynamic_cast<const sc_core::sc_process_b*>(child) != nullptr)
      throw std::runtime_error(std::string(object.name()) + " has a process, which needs one lane");
    refuse_processes(*child);
  }
}

}  // namespace

std::string refusal_of_lanes(const RunSpec& spec, const RunParameters& params) {
  return failure_of_trial([&] {
    const Family& family = family_of(spec.platform);
    Completion completion(family.endpoint_of(spec.platform).device);
    const std::unique_ptr<Driver> driver = family.make(spec, params, completion);
    for (const sc_core::sc_object* device : driver->platform().get_child_objects())
      for (const sc_core::sc_object* part : device->get_child_objects())
        if (dynamic_cast<const sc_core::sc_process_b*>(part) == nullptr) refuse_processes(*part);
    if (sc_core::sc_get_status() == sc_core::SC_ELABORATION) sc_core::sc_start(sc_core::SC_ZERO_TIME);
  });
}

}  // namespace tributary
