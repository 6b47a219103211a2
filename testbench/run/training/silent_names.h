#pragma once
/// SilentNames: suppresses the warning of SystemC about a second platform of the same name, which it renames.

#include <systemc>

namespace tributary {

class SilentNames {
 public:
  SilentNames() { sc_core::sc_report_handler::set_actions(sc_core::SC_ID_INSTANCE_EXISTS_, sc_core::SC_DO_NOTHING); }
  ~SilentNames() { sc_core::sc_report_handler::set_actions(sc_core::SC_ID_INSTANCE_EXISTS_, sc_core::SC_UNSPECIFIED); }
  SilentNames(const SilentNames&) = delete;
  SilentNames& operator=(const SilentNames&) = delete;
};

}  // namespace tributary
