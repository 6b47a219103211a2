#include "modules/base/sysc/time_resolution.h"

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <systemc>
#include <type_traits>

namespace tributary {
namespace {

/// Returns one unit of the time resolution. sc_get_time_resolution() would also fix the resolution, and a later
/// sc_set_time_resolution() would end in an error of SystemC that names neither cause nor remedy.
sc_core::sc_time time_unit() {
  using Value = sc_core::sc_time::value_type;
  static_assert(std::is_standard_layout_v<sc_core::sc_time> && sizeof(sc_core::sc_time) == sizeof(Value));
  sc_core::sc_time unit;
  reinterpret_cast<Value&>(unit) = 1;
  return unit;
}

}  // namespace

void require_picoseconds() {
  const sc_core::sc_time unit = time_unit();
  if (std::abs(unit.to_seconds() / 1e-12 - 1) < 1e-6) return;
  std::cerr
      << "tributary: error: time resolution is " << unit.to_string()
      << "; Tributary needs 1 ps: remove sc_set_time_resolution, and build RTL with verilator --timescale-override /1ps"
      << std::endl;
  std::exit(2);
}

}  // namespace tributary
