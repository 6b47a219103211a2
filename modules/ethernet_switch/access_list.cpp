#include "modules/ethernet_switch/access_list.h"

namespace tributary {

void AccessList::b_transport(AccessTransaction& t, sc_core::sc_time&) {
  switch (t.command) {
    case AccessTransaction::Command::classify:
      t.redirect = core.classify(roce(*t.frame), t.port, t.now);
      return;
    case AccessTransaction::Command::add:
      return core.add(*t.rule);
    case AccessTransaction::Command::clear:
      return core.clear();
  }
}

std::unique_ptr<AccessListModule> make_access_list(const char* name) { return std::make_unique<AccessList>(name); }

}  // namespace tributary
