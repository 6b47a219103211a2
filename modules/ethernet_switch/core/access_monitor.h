#pragma once
/// AccessMonitor: rules of a switch's access list.

#include <string>

#include "modules/base/block_monitor.h"
#include "modules/ethernet_switch/core/access_list_table.h"

namespace tributary {

class AccessMonitor : public TransactionMonitor<AccessTransaction> {
 public:
  using TransactionMonitor::TransactionMonitor;
  void ask(const AccessTransaction& t, Tick now) override {
    begin(now);
    asked_ = t;
  }
  void check(const AccessTransaction& t, Tick interval, Tick latency) override {
    check_times(interval, latency);
    if (asked_.command == AccessTransaction::Command::classify && t.redirect != AccessTransaction::none &&
        t.redirect >= max_ethernet_ports)
      fail("port",
           "redirects to port " + std::to_string(t.redirect) + "; legal: below " + std::to_string(max_ethernet_ports));
  }

 private:
  std::string request() const override {
    const char* const names[] = {"classify", "add", "clear"};
    return names[static_cast<unsigned>(asked_.command)] + (", port " + std::to_string(asked_.port));
  }
  AccessTransaction asked_;
};

}  // namespace tributary
