#include "modules/base/sysc/wait_error.h"

#include <cstring>
#include <stdexcept>
#include <string>

namespace tributary {

void report_wait(const sc_core::sc_report& report, const char* kind, const char* socket) {
  if (std::strcmp(report.get_msg_type(), sc_core::SC_ID_WAIT_NOT_ALLOWED_) != 0) throw;
  const std::string text = std::string("the ") + kind + " bound to " + socket +
                           " waits in b_transport; legal: a module that adds its time to the delay and returns immediately";
  throw std::logic_error(text);
}

}  // namespace tributary
