#include "modules/ethernet_switch/access_list.h"

namespace tributary {

template class TableInitiator<AccessTransaction>;
template class TableModule<AccessTransaction>;

AccessList::AccessList(const sc_core::sc_module_name& name, unsigned most_rules)
    : AccessListModule(name), core(most_rules) {}

std::vector<std::string> AccessList::waiting() const { return {}; }
void AccessList::reset() { core.reset(); }
void AccessList::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add_signal(prefix + "hits", core.hit, SignalKind::strobe, 16, "a rule redirects a frame (its number)");
}

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
